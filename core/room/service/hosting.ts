import { createEmitter } from '#core/async/emitter'
import { onAbort } from '#core/async/onAbort'
import type { ByteStream } from '#core/byteStream'
import type { Clock } from '#core/clock'
import { abortReason, ServiceError } from '#core/errors'
import type { Log } from '#core/log'
import { type ChosenNodes, chooseNodes } from '../chooseNodes'
import { type ExtraPort, shownAtHost } from '../extraPorts'
import { RoomFailure } from '../failure'
import type { CheckNode } from '../nodeHealth'
import { nodesOfRoom } from '../nodes'
import {
  type ExposedPorts,
  type HostConnection,
  type LocalNet,
  type NetworkStatus,
  type RoomNetwork,
  THIS_MACHINE,
} from '../ports'
import type { RoomCode } from '../roomCode'
import { type AdmissionPolicy, createHostDecisions, type HostDecisions } from '../scaffolding/admission'
import type { HostIdentity } from '../scaffolding/identity'
import type { Attempt } from './attempt'
import type { GuestControl } from './guestControl'
import { createHostServer, type HostServer } from './hostServer'
import { createHostTraffic } from './hostTraffic'
import { type Notice, waitingForWorld, worldLost } from './notices'
import type { KeptRoom } from './roomKeeper'
import { untilClosed } from './untilClosed'
import { createWorld, type KnownWorld, type WorldDependencies } from './world'
import { createWorldPorts } from './worldPorts'

/** A request to host, with all defaults filled in. */
export type HostRequest = {
  readonly room: RoomCode
  readonly playerName: string
  readonly vendor: string
  /** Where the room protocol listens; the next free port when it is taken. */
  readonly scaffoldingPort: number
  /** The world's port; undefined = the first world of this machine that is announced and answers. */
  readonly gamePort: number | undefined
  /** False opens the room before there is a world. */
  readonly waitForGame: boolean
  /** Whom the host lets in. */
  readonly admission: AdmissionPolicy
  /** Shared nodes beside the configured ones. */
  readonly nodes: readonly string[]
  /** Ports of this machine that the room's members may reach, beside the world's. */
  readonly extraPorts: readonly ExtraPort[]
  /** What is kept for a restart of the program; undefined = nothing. */
  readonly kept?: KeptRoom | undefined
  /** The world of the run before, which alone is shared again unasked. */
  readonly world?: KnownWorld | undefined
}

export type HostRun = {
  /** Chooses another world; the current one stays until the new one answers. */
  chooseGame(port: number): void
  /** Replaces the extra ports; connections to those that are no longer shared are closed. */
  shareOnly(ports: readonly ExtraPort[]): void
  /** undefined until the room protocol is served. */
  guests(): GuestControl | undefined
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
  readonly machineIdIn: (room: RoomCode) => string
  readonly identityOf: (room: RoomCode) => HostIdentity
  readonly clock: Clock
  readonly log: Log
  /** Called with the port of the room protocol; with undefined when it no longer listens. */
  readonly onRoomPort: (port: number | undefined) => void
  /** Called with the world that is shared, and with it again when it is gone. */
  readonly onWorld: (world: KnownWorld) => void
}

/** How many ports from the configured one on are tried before any free one. */
const PORTS_TRIED = 20

export function createHosting(dependencies: HostingDependencies): Hosting {
  /** A retry has the same request. */
  const decided = new WeakMap<HostRequest, HostDecisions>()
  return (attempt, request) => {
    const decisions = decided.get(request) ?? createHostDecisions(request.admission)
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
  let roomPort = 0
  let server: HostServer | undefined
  const changes = createEmitter<void>()
  const worldPorts = createWorldPorts()
  let extraPorts = request.extraPorts
  const world = createWorld(
    dependencies,
    { port: request.gamePort, awaited: request.world },
    (port, known) => {
      worldPorts.changeTo(port)
      attempt.update({ gamePort: port ?? 0, notice: port === undefined ? worldLost(known) : null })
      dependencies.onWorld(known)
      // Closes what leads to the world before, also where its port stays exposed.
      connection?.setExposed(withoutWorld())
      connection?.setExposed(exposedPorts())
      changes.emit()
    },
  )
  const shareOnly = (ports: readonly ExtraPort[]) => {
    extraPorts = ports
    attempt.update({ ports: shownAtHost(ports) })
    connection?.setExposed(exposedPorts())
  }
  return { chooseGame: world.choose, shareOnly, guests: () => server?.control, run }

  async function run(): Promise<never> {
    attempt.advance(
      'Host_GameDetecting',
      request.waitForGame ? { notice: waitingNotice(world.chosen(), request.world) } : {},
    )
    attempt.update({ ports: shownAtHost(extraPorts) })
    // The results are kept for a minute: a world that is found meanwhile need not wait for them.
    void chooseNodes(nodes, { check: dependencies.checkNode, clock })
    if (request.waitForGame) await world.waitUntilFound(signal)

    attempt.advance('Host_ScaffoldingStarting')
    const served = openServer()
    server = served
    roomPort = await listen(served)

    attempt.advance('Host_NetworkStarting')
    const chosen = await chooseNodes(nodes, { check: dependencies.checkNode, clock })
    if (signal.aborted) throw abortReason(signal)
    if (chosen.skipped.length > 0) log.warn('dead shared nodes are not used', { nodes: chosen.skipped })
    const opened = await openNetwork(served, chosen.used)

    const network = () => withSkipped(opened.status(), chosen)
    attempt.advance('Host_Running', { network: network(), connections: served.connections() })
    opened.onEvent(({ kind }) =>
      attempt.update({
        connections: served.connections(),
        ...(kind !== 'links' && { network: network() }),
      }),
    )
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
      extraPorts: () => extraPorts,
      changes,
      clock,
      log,
    })
  }

  /** @returns the port. @throws RoomFailure `port-in-use` */
  async function listen({ server }: HostServer): Promise<number> {
    const serve = (stream: ByteStream) => attempt.hold(server.serve(stream, THIS_MACHINE))
    try {
      const { port, closed } = await localNet.listen(portsToTry(request.scaffoldingPort), serve, signal)
      attempt.hold(closed)
      dependencies.onRoomPort(port)
      onAbort(signal, () => dependencies.onRoomPort(undefined))
      return port
    } catch (cause) {
      if (!(cause instanceof ServiceError)) throw cause
      throw new RoomFailure('port-in-use', `The room protocol cannot listen: ${cause.detail}`, { cause })
    }
  }

  async function openNetwork(served: HostServer, usedNodes: readonly string[]): Promise<HostConnection> {
    const opened = await roomNetwork.host({
      room: request.room,
      nodes: usedNodes,
      roomPort,
      signal,
      exposed: exposedPorts(),
      credentials: dependencies.identityOf(request.room).credentials,
      onOverShare: served.onNetworkOverShare,
      ...createHostTraffic(served, {
        attempt,
        roomPort,
        worldPort: world.port,
        extraPorts: () => extraPorts,
        localNet,
        log,
      }),
    })
    connection = opened
    attempt.hold(opened.closed)
    // The world may have changed while the network was being opened.
    opened.setExposed(exposedPorts())
    return opened
  }

  function withoutWorld(): ExposedPorts {
    return {
      tcp: [roomPort, ...extraPorts.flatMap(({ tcp }) => tcp ?? [])],
      udp: extraPorts.flatMap(({ udp }) => udp ?? []),
    }
  }

  function exposedPorts(): ExposedPorts {
    const { tcp, udp } = withoutWorld()
    const ports = worldPorts.leadingTo()
    return { tcp: [...tcp, ...ports], udp: [...udp, ...ports] }
  }
}

/** The nodes that are not used are shown, too, with the reason. */
function withSkipped(status: NetworkStatus, { skipped }: ChosenNodes): NetworkStatus {
  const left = skipped.map(({ url, problem }) => ({
    url,
    state: 'failed' as const,
    latencyMs: undefined,
    problem: `not used, since others answered when the room was opened: ${problem}`,
  }))
  return left.length === 0 ? status : { ...status, nodes: [...status.nodes, ...left] }
}

function portsToTry(first: number): readonly number[] {
  const next = Array.from({ length: PORTS_TRIED }, (_, at) => first + at)
  return [...next.filter((port) => port <= 65_535), 0]
}

function waitingNotice(gamePort: number | undefined, awaited: KnownWorld | undefined): Notice {
  return awaited ? worldLost(awaited) : waitingForWorld(gamePort)
}
