import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { createCarriers } from '../../core/adapters/carriers'
import { createConsoleLog } from '../../core/adapters/consoleLog'
import { defaultDataFolder } from '../../core/adapters/dataFolder'
import { createGameProbe } from '../../core/adapters/gameProbe'
import { createLanAnnouncer } from '../../core/adapters/lanAnnouncer'
import { createLanListener } from '../../core/adapters/lanListener'
import { createLocalNet } from '../../core/adapters/localNet'
import { readMachineIdentity } from '../../core/adapters/machineId'
import { createSystemClock } from '../../core/adapters/systemClock'
import { targetTriple } from '../../core/adapters/targetTriple'
import { builtAt, version } from '../../core/build'
import type { Environment } from '../../core/environment'
import { ServiceError } from '../../core/errors'
import { type RoomConfig, readRoomConfig } from '../../core/room/config'
import { decodeAnnouncement, encodeAnnouncement } from '../../core/room/game/announcement'
import { legacyPing } from '../../core/room/game/legacyPing'
import { modernPing } from '../../core/room/game/modernPing'
import { createOverlay } from '../../core/room/overlay/session/overlay'
import { createNodeProbe } from '../../core/room/overlay/session/probeNode'
import { createRoomApi, type RoomApi } from '../../core/room/roomApi'

export { builtAt, version }

export type LocalRoom = {
  readonly api: RoomApi
  readonly config: RoomConfig
  /** Resolves once everything of it has ended, after `stopping`. */
  readonly closed: Promise<void>
}

/**
 * The room service on this machine.
 * @param host.shutDown ends the program
 * @param host.writeLog takes lines of the log; without it they go to standard error
 * @throws ConfigError; ServiceError `unavailable` when the data folder cannot be written
 */
export async function composeRoom(
  env: Environment,
  host: {
    readonly stopping: AbortSignal
    readonly shutDown: () => void
    readonly writeLog?: (line: string) => void
  },
): Promise<LocalRoom> {
  const config = readRoomConfig(env)
  const dataFolder = resolve(config.dataDir ?? defaultDataFolder(env))
  const identity = await readMachineIdentity(dataFolder).catch((cause: unknown) => {
    throw new ServiceError(
      'unavailable',
      `The data folder ${join(dataFolder, 'room')} cannot be used. Give this user the right to write, or set DATA_DIR to another folder.`,
      { cause },
    )
  })
  const clock = createSystemClock()
  const write = host.writeLog ?? ((line: string) => process.stderr.write(line))
  const log = createConsoleLog({ level: config.logLevel, write })
  const carriers = createCarriers({ lanInterfaces: config.lanInterfaces, clock, log })
  const network = { carriers, clock, log, randomBytes: (size: number) => new Uint8Array(randomBytes(size)) }
  const overlay = createOverlay({ ...config, ...network, version })
  const api = createRoomApi(
    config,
    {
      ...{ overlay, clock, log, identity, ...host },
      lanListener: createLanListener({
        interfaces: config.lanInterfaces,
        decode: decodeAnnouncement,
        clock,
        log,
      }),
      lanAnnouncer: createLanAnnouncer({
        interfaces: config.lanInterfaces,
        encode: encodeAnnouncement,
        clock,
        log,
      }),
      localNet: createLocalNet({ clock, lanInterfaces: config.lanInterfaces }),
      probeGame: createGameProbe({ pings: [modernPing, legacyPing] }),
      probeNode: createNodeProbe(network),
      platform: targetTriple(),
    },
    { version, builtAt },
  )
  return { api, config, closed: api.closed }
}
