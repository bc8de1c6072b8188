import { randomUUID } from 'node:crypto'
import { createSingleFlight } from '../async/singleFlight'
import { type Build, CONTRACT_VERSION } from '../build'
import { toHex } from '../bytes'
import { createOwnPorts, type OwnPorts } from '../ownPorts'
import { createRoomApp } from './api/roomApp'
import { ROOM_ROUTES } from './api/roomRoutes'
import { resumeRoom } from './api/rooms/resuming'
import type { RoomConfig } from './config'
import { createDiagnostics } from './diagnostics'
import { findLocalServices, type LocalService } from './game/localServices'
import { createNodeHealth } from './nodeHealth'
import type { RoomApiDependencies } from './roomApiDependencies'
import type { RoomCode } from './roomCode'
import { createHostIdentity, playerIdIn } from './scaffolding/identity'
import { createHosting } from './service/hosting/hosting'
import { createInvite, type Invite } from './service/hosting/invite'
import { createJoining } from './service/joining/joining'
import { createKnownHosts } from './service/kept/knownHosts'
import { createRoomKeeper, type TextStore } from './service/kept/roomKeeper'
import { createSettings, type Settings } from './service/kept/settings'
import { createRoomLog, type RoomLog } from './service/log/roomLog'
import { RoleService, type RoomService } from './service/roomService'
import { createFeed, type Feed } from './service/state/feed'
import { createRoomState, type RoomState } from './service/state/roomState'
import type { Role } from './service/state/stages'
import { createLanGames } from './service/world/lanGames'
import { createPortGuard, guardLocalNet, type PortGuard } from './service/world/portGuard'

export type RoomApi = {
  readonly app: (request: Request) => Promise<Response>
  readonly service: RoomService
  readonly roomState: RoomState
  readonly feed: Feed
  readonly settings: Settings
  /** What this program listens on, for the host process to add its own. */
  readonly ownPorts: OwnPorts
  readonly portGuard: PortGuard
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
const NO_STORE: TextStore = { read: async () => undefined, write: async () => {}, remove: async () => {} }

/** Composes the room service from the adapters of one machine. */
export function createRoomApi(
  config: RoomConfig,
  dependencies: RoomApiDependencies,
  { version, builtAt }: Build,
): RoomApi {
  const { roomNetwork, clock, identity, stopping } = dependencies
  const feed = createFeed(randomUUID())
  const log = createRoomLog({ sink: dependencies.log, feed, clock, stopping: dependencies.stopping })
  const roomState = createRoomState({ feed, clock })
  const settings = createSettings({ product: PRODUCT, version, config, keptNodes: dependencies.keptNodes })
  const checkNode = createNodeHealth({ probe: dependencies.probeNode, clock })
  const ownPorts = dependencies.ownPorts ?? createOwnPorts()
  const localNet = guardLocalNet(dependencies.localNet, ownPorts)
  const portGuard = createPortGuard({ ownPorts, localNet, clock, stopping })
  let forwardPort: number | undefined
  let roomPort: number | undefined

  const { lanListener, bedrockFinder } = dependencies
  const games = createLanGames({
    listeners: bedrockFinder ? [lanListener, bedrockFinder] : [lanListener],
    probe: portGuard.guard(dependencies.probeGame),
    isOwn: portGuard.isOwn,
    hasForward: () => forwardPort !== undefined,
    feed,
    clock,
    log,
    stopping,
  })
  const looking = createSingleFlight<readonly LocalService[]>()
  const localServices = () =>
    looking.run('services', stopping, (signal) =>
      findLocalServices({ localNet, clock, voicePorts: dependencies.voicePorts }, signal),
    )
  const { doctor, report } = createDiagnostics(config, dependencies, {
    settings,
    roomState,
    log,
    roomPort: () => roomPort,
    version,
    builtAt,
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
  const service = new RoleService({
    roomState,
    log,
    keeper,
    hosting: createHosting({
      ...shared,
      probe: portGuard.guard(dependencies.probeGame),
      portGuard,
      checkNode,
      announcedWorlds: games.localWorlds,
      onWorld: (world) => keeper.update({ world }),
      onKnown: (decisions) => keeper.update({ decisions }),
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
      onHostKey: (key) => keeper.update({ hostKey: toHex(key) }),
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
      portGuard,
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
  const resume = (role?: Role) => resumeRoom({ service, settings, config, keeper }, role)
  const { closed } = games
  return {
    app,
    service,
    roomState,
    feed,
    settings,
    ownPorts,
    portGuard,
    localServices,
    invite,
    resume,
    log,
    closed,
  }
}
