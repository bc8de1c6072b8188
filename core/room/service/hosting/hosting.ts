import { createEmitter } from '#core/async/emitter'
import { abortReason } from '#core/errors'
import { type ExtraPort, shownAtHost } from '../../extraPorts'
import { chooseNodes, withSkipped } from '../../nodes/chooseNodes'
import type { CheckNode } from '../../nodes/nodeHealth'
import { nodesOfRoom } from '../../nodes/nodes'
import type { LocalNet } from '../../ports'
import type { RoomCode } from '../../roomCode'
import type { HostConnection, RoomNetwork } from '../../roomNetwork'
import type { HostIdentity } from '../../scaffolding/identity'
import {
  createHostDecisions,
  type HostDecisions,
  type KeptDecisions,
  toKeptDecisions,
} from '../../scaffolding/players/hostDecisions'
import type { GuestControl } from '../guests/guestControl'
import type { Attempt } from '../state/attempt'
import { noticeOf, worldLost } from '../state/notices'
import { untilClosed } from '../state/untilRoomCloses'
import { createExposedPorts } from '../world/exposedPorts'
import type { PortGuard } from '../world/portGuard'
import { createWorld, type KnownWorld, type WorldDependencies } from '../world/world'
import { createHostNotices, hostNotice } from './hostNotices'
import type { HostRequest } from './hostRequest'
import { createHostServer, type HostServer } from './hostServer'
import { createHostTraffic } from './hostTraffic'
import { listenForGuests } from './listenForGuests'

export type HostRun = {
  /** Chooses another world; the current one stays until the new one answers. */
  chooseGame(port: number): void
  /** Replaces the extra ports; connections to those that are no longer shared are closed. */
  shareOnly(ports: readonly ExtraPort[]): void
  /** undefined until the room protocol is served. */
  guests(): GuestControl | undefined
  /** What the host has decided about players so far. */
  decisions(): KeptDecisions
  /** Hosts until it fails or the attempt ends. @throws RoomFailure, or the reason of the attempt's signal */
  run(): Promise<never>
}

export type Hosting = (attempt: Attempt, request: HostRequest) => HostRun

export type HostingDependencies = WorldDependencies & {
  readonly roomNetwork: RoomNetwork
  /** Shared nodes of every room. */
  readonly configuredNodes: () => readonly string[]
  readonly checkNode: CheckNode
  readonly localNet: LocalNet
  readonly portGuard: PortGuard
  readonly machineIdIn: (room: RoomCode) => string
  readonly identityOf: (room: RoomCode) => HostIdentity
  /** Called with the port of the room protocol; with undefined when it no longer listens. */
  readonly onRoomPort: (port: number | undefined) => void
  /** Called with the world that is shared, and with it again when it is gone. */
  readonly onWorld: (world: KnownWorld) => void
  /** Called with the host's decisions when a player who was let in can be recognised from now on. */
  readonly onKnown: (decisions: KeptDecisions) => void
}

export function createHosting(dependencies: HostingDependencies): Hosting {
  /** A retry has the same request. */
  const decided = new WeakMap<HostRequest, HostDecisions>()
  return (attempt, request) => {
    const decisions = decided.get(request) ?? createHostDecisions(request.admission, request.decisions)
    decided.set(request, decisions)
    return createHostRun(dependencies, attempt, request, decisions)
  }
}

function createHostRun(
  dependencies: HostingDependencies,
  attempt: Attempt,
  request: HostRequest,
  decisions: HostDecisions,
): HostRun {
  const { roomNetwork, localNet, log, clock } = dependencies
  const { signal } = attempt
  const nodes = nodesOfRoom(dependencies.configuredNodes(), request.nodes)
  let connection: HostConnection | undefined
  let server: HostServer | undefined
  const changes = createEmitter<void>()
  const notices = createHostNotices((notice) => attempt.update({ notice }))
  const exposed = createExposedPorts(request.extraPorts, dependencies)
  const world = createWorld(
    dependencies,
    { port: request.gamePort, awaited: request.world },
    (port, known) => {
      exposed.changeWorld(port)
      attempt.update({ gamePort: port ?? 0 })
      notices.set('world', port === undefined ? worldLost(known) : worldNotice())
      dependencies.onWorld(known)
      // Closes what leads to the world before, also where its port stays exposed.
      connection?.setExposed(exposed.withoutWorld())
      connection?.setExposed(exposed.all())
      changes.emit()
    },
    () => notices.set('world', worldNotice()),
  )
  const worldNotice = () => hostNotice(world, exposed, connection !== undefined, request.world)
  return {
    chooseGame: world.choose,
    shareOnly(ports) {
      exposed.shareOnly(ports)
      attempt.update({ ports: shownAtHost(exposed.extra()) })
      connection?.setExposed(exposed.all())
    },
    guests: () => server?.control,
    decisions: () => toKeptDecisions(decisions),
    run,
  }

  async function run(): Promise<never> {
    attempt.advance('Host_GameDetecting', request.waitForGame ? { notice: worldNotice() } : {})
    attempt.update({ ports: shownAtHost(exposed.extra()) })
    // The results are kept for a minute: a world that is found meanwhile need not wait for them.
    void chooseNodes(nodes, { check: dependencies.checkNode, clock })
    if (request.waitForGame) await world.waitUntilFound(signal)

    attempt.advance('Host_ScaffoldingStarting')
    const served = openServer()
    server = served
    const avoided = [world.chosen(), ...exposed.extra().map(({ tcp }) => tcp)]
    const options = { ...dependencies, attempt, avoided }
    const roomPort = await listenForGuests(served, request.scaffoldingPort, options)
    exposed.openRoom(roomPort)

    attempt.advance('Host_NetworkStarting')
    const chosen = await chooseNodes(nodes, { check: dependencies.checkNode, clock })
    if (signal.aborted) throw abortReason(signal)
    if (chosen.skipped.length > 0) log.warn('dead shared nodes are not used', { nodes: chosen.skipped })
    const opened = await openNetwork(served, roomPort, chosen.used)

    const network = () => withSkipped(opened.status(), chosen)
    notices.set('world', worldNotice())
    attempt.advance('Host_Running', {
      network: network(),
      connections: served.connections(),
      notice: notices.current(),
    })
    opened.onEvent(({ kind }) => {
      served.look()
      attempt.update({
        connections: served.connections(),
        ...(kind !== 'links' && { network: network() }),
      })
    })
    return await Promise.race([world.watch(signal), untilClosed(opened, signal)])
  }

  function openServer(): HostServer {
    const { room, playerName: name, vendor } = request
    return createHostServer({
      attempt,
      room,
      host: { name, machineId: dependencies.machineIdIn(room), vendor },
      decisions,
      identity: dependencies.identityOf(room),
      connection: () => connection,
      gamePort: world.port,
      extraPorts: exposed.extra,
      changes,
      onFull: (isFull) => notices.set('room', isFull ? noticeOf('room-full') : null),
      onKnown: () => dependencies.onKnown(toKeptDecisions(decisions)),
      clock,
      log,
    })
  }

  async function openNetwork(
    served: HostServer,
    roomPort: number,
    usedNodes: readonly string[],
  ): Promise<HostConnection> {
    const opened = await roomNetwork.host({
      room: request.room,
      nodes: usedNodes,
      friendRelay: request.friendRelay,
      roomPort,
      signal,
      exposed: exposed.all(),
      credentials: dependencies.identityOf(request.room).credentials,
      onOverShare: served.onNetworkOverShare,
      isSettled: served.control.admission.hasPlace,
      ...createHostTraffic(served, {
        attempt,
        roomPort,
        worldPort: world.port,
        extraPorts: exposed.extra,
        localNet,
        log,
      }),
    })
    connection = opened
    attempt.hold(opened.closed)
    // A player who was removed before the retry knows the network of the code.
    if (decisions.bans.hasRemoved()) opened.secret?.change()
    // The world may have changed while the network was being opened.
    opened.setExposed(exposed.all())
    return opened
  }
}
