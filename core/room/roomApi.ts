import { randomUUID } from 'node:crypto'
import { onAbort } from '../async/onAbort'
import { createSingleFlight } from '../async/singleFlight'
import { createThrottle } from '../async/throttle'
import type { Clock } from '../clock'
import type { WebPage } from '../http/webPage'
import type { Log } from '../log'
import { resumeRoom } from './api/resuming'
import { createRoomApp } from './api/roomApp'
import { ROOM_ROUTES } from './api/roomRoutes'
import { toStatusRecord } from './api/state'
import type { RoomConfig } from './config'
import { CONTRACT_VERSION } from './contractVersion'
import type { DoctorDependencies } from './doctor/diagnosis'
import { createDoctor } from './doctor/doctor'
import { createGameList } from './game/gameList'
import { findLocalServices, type LocalService } from './game/localServices'
import { createNodeHealth } from './nodeHealth'
import { playerIdIn } from './playerId'
import type { LanAnnouncer, LanListener, LocalNet, ProbeGame, ProbeNode, RoomNetwork } from './ports'
import { recordLinks } from './report/linkHistory'
import { makeReport } from './report/report'
import type { RoomCode } from './roomCode'
import { createHostIdentity } from './scaffolding/identity'
import { createFeed, type Feed } from './service/feed'
import { createHosting } from './service/hosting'
import { createInvite, type Invite } from './service/invite'
import { createJoining } from './service/joining'
import { createKnownHosts } from './service/knownHosts'
import { createRoomKeeper, type TextStore } from './service/roomKeeper'
import { createRoomLog, type RoomLog } from './service/roomLog'
import { createRoomService, type RoomService } from './service/roomService'
import { createRoomState, type RoomState } from './service/roomState'
import { createSettings, type Settings } from './service/settings'
import type { Role } from './service/stages'

/** Adapters of the machine, and what the host process decides. */
export type RoomApiDependencies = {
  readonly roomNetwork: RoomNetwork
  readonly lanListener: LanListener
  /** Finds worlds of the Bedrock edition; without it there are none. */
  readonly bedrockFinder?: LanListener
  readonly lanAnnouncer: LanAnnouncer
  readonly localNet: LocalNet
  readonly probeGame: ProbeGame
  readonly probeNode: ProbeNode
  /** The checks of `GET /doctor`; ports and nodes are this program's own. */
  readonly checks: Omit<DoctorDependencies, 'ports' | 'nodes'>
  readonly clock: Clock
  /** Receives log entries in addition to the feed. */
  readonly log: Log
  /** The log on disk; undefined where there is none. */
  readonly logOnDisk: (() => string) | undefined
  /** The user's own folder, which reports do not show. */
  readonly home: string | undefined
  /** `machineId` is the lasting one, which no other player sees. */
  readonly identity: { readonly machineId: string; readonly secret: Uint8Array }
  readonly platform: {
    readonly targetTuple: string
    readonly targetArch: string
    readonly targetVendor: string
    readonly targetOS: string
    readonly targetEnv: string
  }
  /** What GET / shows. */
  readonly page: WebPage
  /** Where the room is kept that comes back after a restart; without it none is. */
  readonly keptRoom?: TextStore
  /** Where the keys of private rooms' hosts are kept; without it none is. */
  readonly knownHosts?: TextStore
  /** Ends the program. */
  readonly shutDown: () => void
  /** Aborts when the program stops. */
  readonly stopping: AbortSignal
}

export type RoomApi = {
  readonly app: (request: Request) => Promise<Response>
  readonly service: RoomService
  readonly roomState: RoomState
  readonly feed: Feed
  readonly settings: Settings
  /** Services of this machine that could be shared. */
  readonly localServices: () => Promise<readonly LocalService[]>
  readonly invite: Invite
  /** Goes back to the room of the run before, if that was asked for. @returns whether a role runs now */
  readonly resume: (role?: Role) => Promise<boolean>
  readonly log: RoomLog
  /** Resolves once what runs beside the rooms has ended, after `stopping`. */
  readonly closed: Promise<void>
}

const PRODUCT = 'LanternRoom'
/** Any machine of the LAN can announce worlds as often as it likes. */
const WORLDS_EVERY_MS = 1000

const NO_STORE: TextStore = { read: async () => undefined, write: async () => {}, remove: async () => {} }

/** Composes the room service from the adapters of one machine. */
export function createRoomApi(
  config: RoomConfig,
  dependencies: RoomApiDependencies,
  { version, builtAt }: { readonly version: string; readonly builtAt: string },
): RoomApi {
  const { roomNetwork, clock, localNet, identity, stopping } = dependencies
  const feed = createFeed(randomUUID())
  const log = createRoomLog({ sink: dependencies.log, feed, clock, stopping: dependencies.stopping })
  const roomState = createRoomState({ feed, clock })
  const settings = createSettings({ product: PRODUCT, version, nodes: config.nodes })
  const checkNode = createNodeHealth({ probe: dependencies.probeNode, clock })
  let forwardPort: number | undefined
  let roomPort: number | undefined

  const news = createThrottle(clock, WORLDS_EVERY_MS, () => {
    feed.publish({ type: 'worlds', ...games.servers() })
  })
  onAbort(stopping, news.cancel)
  const games = createGameList({
    clock,
    probe: dependencies.probeGame,
    signal: stopping,
    isOwn: (port) => port === forwardPort,
    onChange: news.request,
  })
  const looking = createSingleFlight<readonly LocalService[]>()
  const localServices = () =>
    looking.run('services', stopping, (signal) => findLocalServices({ localNet, clock }, signal))
  const doctor = createDoctor({
    checks: dependencies.checks,
    current: () => ({
      nodes: settings.nodes(),
      // What this program itself listens on need not be free.
      ports: {
        room: undefined,
        scaffolding: roomPort === undefined ? config.scaffoldingPort : undefined,
      },
    }),
    version,
    stopping,
  })
  onAbort(stopping, recordLinks({ feed, log }))
  const report = async () =>
    makeReport({
      version,
      builtAt,
      platform: dependencies.platform.targetTuple,
      networkVersion: roomNetwork.version,
      config: { ...config, nodes: settings.nodes() },
      status: toStatusRecord(roomState.view()),
      doctor: await doctor(),
      logText: dependencies.logOnDisk?.() ?? log.text(),
      home: dependencies.home,
      unixTime: clock.unixTime(),
    })
  const shared = {
    roomNetwork,
    localNet,
    clock,
    log,
    probe: dependencies.probeGame,
    machineIdIn: (room: RoomCode) => playerIdIn(room, identity.machineId),
    identityOf: (room: RoomCode) => createHostIdentity(identity.secret, room),
    configuredNodes: settings.nodes,
  }
  const invite = createInvite({
    roomState,
    probe: dependencies.probeGame,
    identityOf: (room) => createHostIdentity(identity.secret, room),
    page: config.invitationPage,
    stopping,
  })
  const keeper = createRoomKeeper({ store: dependencies.keptRoom ?? NO_STORE, clock, log })
  const service = createRoomService({
    roomState,
    log,
    keeper,
    hosting: createHosting({
      ...shared,
      checkNode,
      announcedWorlds: games.localWorlds,
      onWorld: (world) => keeper.update({ world }),
      onRoomPort: (port) => {
        roomPort = port
      },
    }),
    joining: createJoining({
      ...shared,
      knownHosts: createKnownHosts({
        store: dependencies.knownHosts ?? NO_STORE,
        secret: identity.secret,
        log,
      }),
      announcer: dependencies.lanAnnouncer,
      heartbeatMs: config.heartbeatMs,
      onForward: (port) => {
        forwardPort = port
      },
    }),
  })
  const app = createRoomApp(
    {
      service,
      roomState,
      settings,
      config,
      clock,
      log,
      games,
      localServices,
      invite,
      meta: {
        version,
        compileTimestamp: builtAt,
        networkVersion: roomNetwork.version,
        contractVersion: CONTRACT_VERSION,
        runId: feed.runId,
        ...dependencies.platform,
      },
      machineId: identity.machineId,
      roomPort: () => roomPort ?? config.scaffoldingPort,
      checkNode,
      logText: log.text,
      doctor,
      report,
      page: dependencies.page,
      shutDown: dependencies.shutDown,
    },
    ROOM_ROUTES,
  )
  const listeners = [dependencies.lanListener, dependencies.bedrockFinder].map((listener) =>
    // A guest's own forward would carry the questions to the host.
    listener
      ?.listen(games.add, stopping, () => forwardPort !== undefined)
      .catch((error: unknown) => log.warn('cannot listen for worlds on the LAN', { cause: String(error) })),
  )
  const closed = Promise.all(listeners).then(() => undefined)
  const resume = (role?: Role) => resumeRoom({ service, settings, config, keeper }, role)
  return { app, service, roomState, feed, settings, localServices, invite, resume, log, closed }
}
