import type { Clock } from '../clock'
import type { Log } from '../log'
import { createRoomApp } from './api/app'
import type { RoomConfig } from './config'
import { createGameList } from './game/gameList'
import { createNodeHealth } from './nodeHealth'
import type { LanAnnouncer, LanListener, LocalNet, ProbeGame, ProbeNode, RoomNetwork } from './ports'
import { createHostIdentity } from './scaffolding/identity'
import { createFeed, type Feed } from './service/feed'
import { createHosting } from './service/hosting'
import { createJoining } from './service/joining'
import { createRoomLog, type KeptLog } from './service/roomLog'
import { createRoomService, type RoomService } from './service/roomService'
import { type Board, createBoard } from './service/roomState'
import { createSettings, type Settings } from './service/settings'

/** Everything of the machine that the room service needs, and what the host decides. */
export type RoomMachine = {
  readonly overlay: RoomNetwork
  readonly lanListener: LanListener
  readonly lanAnnouncer: LanAnnouncer
  readonly localNet: LocalNet
  readonly probeGame: ProbeGame
  readonly probeNode: ProbeNode
  readonly clock: Clock
  /** Where lines of the log go, beside the feed. */
  readonly log: Log
  readonly identity: { readonly machineId: string; readonly secret: Uint8Array }
  readonly platform: {
    readonly targetTuple: string
    readonly targetArch: string
    readonly targetVendor: string
    readonly targetOS: string
    readonly targetEnv: string
  }
  /** Ends the program. */
  readonly shutDown: () => void
  /** Aborts when the program stops. */
  readonly stopping: AbortSignal
}

export type RoomApi = {
  readonly app: (request: Request) => Promise<Response>
  readonly service: RoomService
  readonly board: Board
  readonly feed: Feed
  readonly settings: Settings
  readonly log: KeptLog
  /** Resolves once what runs beside the rooms has ended, after `stopping`. */
  readonly closed: Promise<void>
}

const PRODUCT = 'LanternRoom'

/** Puts the room service together on a machine. */
export function createRoomApi(
  config: RoomConfig,
  machine: RoomMachine,
  { version, builtAt }: { readonly version: string; readonly builtAt: string },
): RoomApi {
  const { overlay, clock, localNet, identity, stopping } = machine
  const feed = createFeed()
  const log = createRoomLog({ sink: machine.log, feed, clock })
  const board = createBoard({ feed, unixTime: clock.unixTime })
  const settings = createSettings({ product: PRODUCT, version })
  let forwardPort: number | undefined
  let roomPort: number | undefined

  const games = createGameList({
    clock,
    probe: machine.probeGame,
    signal: stopping,
    isOwn: (port) => port === forwardPort,
  })
  const shared = { overlay, localNet, clock, log, probe: machine.probeGame, machineId: identity.machineId }
  const service = createRoomService({
    board,
    log,
    hosting: createHosting({
      ...shared,
      announced: () =>
        games.games().flatMap(({ isLocal, status, port }) => (isLocal && status ? [port] : [])),
      identityOf: (room) => createHostIdentity(identity.secret, room),
      onRoomPort: (port) => {
        roomPort = port
      },
    }),
    joining: createJoining({
      ...shared,
      announcer: machine.lanAnnouncer,
      heartbeatMs: config.heartbeatMs,
      onForward: (port) => {
        forwardPort = port
      },
    }),
  })
  const app = createRoomApp({
    service,
    board,
    settings,
    config,
    clock,
    log,
    games,
    meta: { version, compileTimestamp: builtAt, networkVersion: overlay.version, ...machine.platform },
    machineId: identity.machineId,
    roomPort: () => roomPort ?? config.scaffoldingPort,
    nodeHealth: createNodeHealth(config.nodes, { probe: machine.probeNode, clock }),
    logText: log.text,
    shutDown: machine.shutDown,
  })
  const closed = machine.lanListener.listen(games.hear, stopping).catch((error: unknown) => {
    log.warn('worlds on the LAN cannot be heard', { cause: String(error) })
  })
  return { app, service, board, feed, settings, log, closed }
}
