import { randomBytes } from 'node:crypto'
import { homedir, networkInterfaces } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { createLanListener } from '#core/adapters/lan/lanListener'
import { testMulticast } from '#core/adapters/lan/testMulticast'
import { isPortFree } from '#core/adapters/localNet/localNet'
import { isLoopbackOnly } from '#core/adapters/network/networkInterfaces'
import { defaultDataFolder, readMachineIdentity } from '#core/adapters/system/machineIdentity'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { createNodeTransports } from '#core/adapters/transports/nodeTransports'
import type { Clock } from '#core/async/clock'
import { createNodeProbe } from '#core/easytier/dialing/nodeProbe'
import { findRouter } from '#core/easytier/portMapping/portMapper'
import type { Transports } from '#core/easytier/transport/transports'
import type { Environment } from '#core/environment'
import { ServiceError } from '#core/errors'
import { createLog, type Log } from '#core/log'
import { type RoomConfig, readRoomConfig } from '#core/room/config'
import type { DoctorDependencies } from '#core/room/doctor/diagnosis'
import { reportNat } from '#core/room/network/members/natReport'
import { findOutage } from '#core/room/network/members/outage'
import type { GameAnnouncement } from '#core/room/ports'

/**
 * @param config where it is not that of the environment alone
 * @throws ConfigError
 */
export function composeDoctor(env: Environment, config = readRoomConfig(env)): DoctorDependencies {
  const { nodes, lanInterfaces, isPrivate } = config
  const clock = createSystemClock()
  const log = SILENT
  const folder = resolve(config.dataDir ?? defaultDataFolder(env))
  const transports = openTransports(config, folder, clock, log)
  const network = { transports, clock, randomBytes: (size: number) => new Uint8Array(randomBytes(size)) }
  return {
    nodeVersion: process.versions.node,
    platform: process.platform,
    nodes,
    isPrivate,
    clock,
    isPortFree,
    isLoopbackOnly: isLoopbackOnly(networkInterfaces(), lanInterfaces),
    ports: { room: config.port, scaffolding: config.scaffoldingPort },
    async dataFolder() {
      await readMachineIdentity(folder).catch((cause: unknown) => {
        const detail = `The data folder ${shown(join(folder, 'room'))} cannot be used: give this user the right to write, or set DATA_DIR to another folder.`
        throw new ServiceError('unavailable', detail, { cause })
      })
      return shown(folder)
    },
    multicast: (limitMs) => testMulticast({ interfaces: lanInterfaces, limitMs, clock }),
    async worlds(limitMs) {
      const heard: GameAnnouncement[] = []
      const lan = { interfaces: lanInterfaces, clock, log }
      const listener = createLanListener(lan)
      await listener.listen((world) => void heard.push(world), AbortSignal.timeout(limitMs))
      return heard
    },
    probeNode: createNodeProbe(network),
    outage: (nodes) => findOutage(network, nodes),
    portMapping: (limitMs) => findMethod(transports, clock, AbortSignal.timeout(limitMs)),
    natTypes: (limitMs) => reportNat({ ...network, nodes, stun: config.stunServers }, limitMs),
  }
}

/** How the router of this network opens ports; undefined where none does. */
async function findMethod(transports: Transports, clock: Clock, signal: AbortSignal) {
  const { routers } = transports
  if (!routers) return 'off'
  const options = { transports, routers, clock, nonce: randomBytes(12).toString('hex') }
  const found = await findRouter(options, signal).catch(() => undefined)
  return found?.method
}

/** Routers are asked for ports only where members may connect directly. */
export function openTransports(config: RoomConfig, dataFolder: string, clock: Clock, log: Log): Transports {
  const { lanInterfaces, isDirect, mapsPorts } = config
  const portsFile = isDirect && mapsPorts ? join(dataFolder, 'room', 'router-ports.json') : undefined
  return createNodeTransports({ lanInterfaces, clock, log, portsFile })
}

export const SILENT = createLog(() => {})

/** Without the user's name, because people pass on what the doctor says. */
function shown(folder: string): string {
  const home = homedir()
  return folder === home || folder.startsWith(home + sep) ? `~${folder.slice(home.length)}` : folder
}
