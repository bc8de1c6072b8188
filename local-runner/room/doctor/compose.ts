import { randomBytes } from 'node:crypto'
import { homedir, networkInterfaces } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { createLanListener, testMulticast } from '@lantern-room/adapters/lan'
import { isPortFree } from '@lantern-room/adapters/localNet'
import { isLoopbackOnly } from '@lantern-room/adapters/network'
import { createSystemClock, defaultDataFolder, readMachineIdentity } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { createLog, type Log, ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import type { Environment } from '@lantern-room/base/settings'
import { createNodeProbe } from '@lantern-room/easytier'
import type { Transports } from '@lantern-room/easytier/transport'
import type { GameAnnouncement } from '@lantern-room/game/ports'
import { type RoomConfig, readRoomConfig } from '@lantern-room/room'
import type { DoctorDependencies } from '@lantern-room/room/doctor'
import { findOutage, reportNat } from '@lantern-room/room/network'
import { routerPorts } from '@lantern-room/routers'

type DoctorOptions = {
  /** @default that of the environment alone */
  readonly config?: RoomConfig
  /** @default one whose timers do not keep the process, as in a service */
  readonly clock?: Clock
}

/** @throws ConfigError */
export function composeDoctor(
  env: Environment,
  { config = readRoomConfig(env), clock = createSystemClock() }: DoctorOptions = {},
): DoctorDependencies {
  const { nodes, lanInterfaces, isPrivate } = config
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

/** The doctor of a command, which has no socket that would keep its process until the answer. */
export function composeDoctorOfCommand(env: Environment, config?: RoomConfig): DoctorDependencies {
  const clock = createSystemClock({ keepsProcess: true })
  return composeDoctor(env, config ? { config, clock } : { clock })
}

/** How the router of this network opens ports; undefined where none does. */
async function findMethod(transports: Transports, clock: Clock, signal: AbortSignal) {
  const { routers } = transports
  if (!routers) return 'off'
  return routerPorts({ transports, routers, clock, log: SILENT })
    .method(signal)
    .catch(() => undefined)
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
