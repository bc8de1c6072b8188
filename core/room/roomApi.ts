import { randomUUID } from 'node:crypto'
import { type Build, CONTRACT_VERSION, ServiceError } from '@lantern-room/base'
import { createSingleFlight } from '@lantern-room/base/async'
import { isLoopbackAddress } from '@lantern-room/base/network'
import { createProbeHere, findLocalServices, type LocalService } from '@lantern-room/game'
import { createHostIdentity } from '@lantern-room/protocol'
import { createRoomApp } from './api/roomApp'
import { ROOM_ROUTES } from './api/roomRoutes'
import { hostRoom } from './api/rooms/hosting'
import { joinRoom } from './api/rooms/joining'
import { resumeRoom } from './api/rooms/resuming'
import { toStatusRecord } from './api/rooms/state'
import type { RoomConfig } from './config'
import { createDiagnostics } from './diagnostics'
import { createNodeHealth } from './nodes/nodeHealth'
import { createRoles } from './roles'
import type { RoomApiDependencies } from './roomApiDependencies'
import { createInvite } from './service/hosting/invite'
import { createRoomCheck } from './service/kept/roomChecks'
import { createRoomKeeper } from './service/kept/roomKeeper'
import { createSavedRooms } from './service/kept/savedRooms'
import { createSettings } from './service/kept/settings'
import { createRoomLog } from './service/log/roomLog'
import { RoleService, type RoomService } from './service/roomService'
import { createFeed } from './service/state/feed'
import { createRoomState } from './service/state/roomState'
import type { Role } from './service/state/stages'
import { createLanGames } from './service/world/lanGames'
import { createPortGuard, guardLocalNet } from './service/world/portGuard'

export type RoomApi = ReturnType<typeof createRoomApi>

const PRODUCT = 'LanternRoom'

/**
 * Composes the room service from the adapters of one machine.
 * @example const api = createRoomApi(readRoomConfig(env), dependencies, { version, builtAt })
 */
export function createRoomApi(
  config: RoomConfig,
  dependencies: RoomApiDependencies,
  { version, builtAt }: Build,
) {
  const {
    clock,
    identity,
    stopping,
    ownPorts,
    voicePorts,
    roomNetwork,
    machineWorlds: machine,
  } = dependencies
  const feed = createFeed(randomUUID(), clock)
  const log = createRoomLog({ sink: dependencies.log, feed, clock, stopping })
  const roomState = createRoomState({ feed, clock })
  const settings = createSettings({ product: PRODUCT, version, config, keptNodes: dependencies.keptNodes })
  const checkNode = createNodeHealth({ probe: dependencies.probeNode, clock })
  const localNet = guardLocalNet(dependencies.localNet, ownPorts)
  const isHere = (address: string) => isLoopbackAddress(address) || machine.addresses().includes(address)
  const portGuard = createPortGuard({ ownPorts, localNet, isHere, clock, stopping })
  const probe = portGuard.guard(dependencies.probeGame)
  const probeHere = createProbeHere(probe, machine.addresses)

  const games = createLanGames({
    listeners: dependencies.lanListeners,
    probe,
    probeHere,
    machine,
    isOwn: portGuard.isOwn,
    hasForward: () => ownPorts.portOf('forward') !== undefined,
    feed,
    clock,
    log,
    stopping,
  })
  const keeper = createRoomKeeper({ store: dependencies.keptRoom, clock, log, place: identity.place })
  const savedRooms = createSavedRooms({ store: dependencies.savedRooms, secret: identity.secret, clock, log })
  feed.subscribe(() => savedRooms.note(keeper.current(), roomState.view()))
  const looking = createSingleFlight<LocalService[]>()
  /** Searches that are asked for at the same time are one. */
  const localServices = () =>
    looking.run('services', stopping, (signal) => findLocalServices({ localNet, clock, voicePorts }, signal))
  const invite = createInvite({
    roomState,
    probeHere,
    identityOf: (room) => createHostIdentity(identity.secret, room),
    page: config.invitationPage,
    stopping,
  })
  const checks = new AbortController()
  const { hosting, joining } = createRoles(config, dependencies, {
    settings,
    log,
    keeper,
    checkNode,
    localNet,
    portGuard,
    probeHere,
    games,
  })
  const service = new RoleService({ roomState, hosting, joining, keeper, log })
  const told = { settings, roomState, log, version, builtAt }
  const { doctor, report } = createDiagnostics(config, dependencies, told)
  const checkRoom = createRoomCheck({
    roomNetwork,
    nodes: settings.nodes,
    feed,
    clock,
    stopping: checks.signal,
  })
  const app = createRoomApp(
    {
      listMods: dependencies.listMods,
      gameName: dependencies.gameName,
      page: dependencies.page,
      shutDown: dependencies.shutDown,
      clock,
      doctor,
      report,
      service,
      roomState,
      settings,
      keeper,
      savedRooms,
      checkRoom,
      checkNode,
      portGuard,
      log,
      config,
      games: games.list,
      localServices,
      invite,
      meta: metaOf(dependencies, { version, builtAt }, feed.runId),
      machineId: identity.machineId,
      roomPort: () => ownPorts.portOf('room') ?? config.scaffoldingPort,
    },
    ROOM_ROUTES,
  )
  return {
    app,
    service: service as RoomService,
    /** Opens a room by the body of `POST /room/host/start`. @throws ServiceError as the route */
    hostRoom: (order: Parameters<typeof hostRoom>[0]): Promise<void> =>
      hostRoom(order, { config, settings, portGuard, service }, true),
    /** Joins a room by the body of `POST /room/guest/start`. @throws ServiceError as the route, with `code` for its room code */
    joinRoom: (order: Parameters<typeof joinRoom>[0]): void => joinRoom(order, 'code', { settings, service }),
    /** The record of `GET /room/status`. */
    statusRecord: () => toStatusRecord(roomState.view()),
    roomState,
    feed,
    settings,
    /** The ports on which this program listens, for the host process to add its own. */
    ownPorts,
    portGuard,
    /** Services of this machine that could be shared. */
    localServices,
    invite,
    /** Goes back to the room of the run before, if that was asked for. @returns whether a role runs now */
    resume: (role?: Role): Promise<boolean> => resumeRoom({ service, settings, config, keeper }, { role }),
    log,
    clock,
    endChecks: () => checks.abort(new ServiceError('unavailable', 'The service is stopping.')),
    /** Resolves once what runs beside the rooms has ended, after `stopping`. */
    closed: games.closed,
  }
}

/** The description of this program in `GET /meta`. */
function metaOf({ roomNetwork, platform }: RoomApiDependencies, { version, builtAt }: Build, runId: string) {
  return {
    version,
    compileTimestamp: builtAt,
    networkVersion: roomNetwork.version,
    contractVersion: CONTRACT_VERSION,
    runId,
    ...platform,
  }
}
