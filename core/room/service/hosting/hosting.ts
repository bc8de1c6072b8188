import type { ByteStream } from '@lantern-room/base'
import { ServiceError } from '@lantern-room/base'
import type { LocalNet } from '@lantern-room/game/ports'
import { RoomFailure } from '../../failure'
import { chooseNodes, withSkipped } from '../../nodes/chooseNodes'
import type { CheckNode } from '../../nodes/nodeHealth'
import { nodesOfRoom } from '../../nodes/nodes'
import type { RoomCode } from '../../roomCode'
import { type HostConnection, type RoomNetwork, THIS_MACHINE } from '../../roomNetwork'
import type { HostIdentity } from '../../scaffolding/identity'
import {
  createHostDecisions,
  type KeptDecisions,
  toKeptDecisions,
} from '../../scaffolding/players/hostDecisions'
import type { GuestControl } from '../guests/guestControl'
import type { Attempt } from '../state/attempt'
import { noticeOf } from '../state/notices'
import type { HostRequest } from './hostRequest'
import { HostServer } from './hostServer'
import { openHostNetwork } from './hostTraffic'
import { createSharedPorts, type SharedPortsDependencies } from './sharedPorts'

export type Hosting = (attempt: Attempt, request: HostRequest) => HostRun

export type HostingDependencies = SharedPortsDependencies & {
  readonly roomNetwork: RoomNetwork
  /** Shared nodes of every room. */
  readonly configuredNodes: () => readonly string[]
  readonly checkNode: CheckNode
  readonly localNet: LocalNet
  readonly machineIdIn: (room: RoomCode) => string
  /** The run of this program, as the members of a room are told it. */
  readonly runIn: (room: RoomCode) => Uint8Array
  readonly identityOf: (room: RoomCode) => HostIdentity
  /** Called with the host's decisions when a player who was let in can be recognised from now on. */
  readonly onKnown: (decisions: KeptDecisions) => void
}

export function createHosting(dependencies: HostingDependencies): Hosting {
  return (attempt, request) => createHostRun(dependencies, attempt, request)
}

export type HostRun = ReturnType<typeof createHostRun>

function createHostRun(dependencies: HostingDependencies, attempt: Attempt, request: HostRequest) {
  const { localNet, clock, log } = dependencies
  const { signal } = attempt
  const decisions = createHostDecisions(request.admission, request.decisions)
  const nodes = nodesOfRoom(dependencies.configuredNodes(), request.nodes)
  const ports = createSharedPorts(dependencies, attempt, request)
  const chooseUsed = () => chooseNodes(nodes, { check: dependencies.checkNode, clock })
  let server: HostServer | undefined

  return {
    ports,
    /** undefined until the room protocol is served. */
    guests: (): GuestControl | undefined => server?.control,
    decisions: (): KeptDecisions => toKeptDecisions(decisions),
    /** The request with what was ordered and decided since, for a retry. */
    asOrdered: (): HostRequest => ({
      ...request,
      gamePort: ports.world.chosen(),
      extraPorts: ports.exposed.wanted(),
      admission: decisions.policy,
      decisions: toKeptDecisions(decisions),
    }),
    /** Hosts until it fails or the attempt ends. @throws RoomFailure, or the reason of the attempt's signal */
    async run(): Promise<never> {
      await detectWorld()
      server = openServer()
      const connection = await openNetwork(server, await listen(server))
      const closed = connection.closed.then(() => Promise.reject(signal.reason))
      return await Promise.race([ports.world.watch(signal), closed])
    },
  }

  async function detectWorld(): Promise<void> {
    const { waitForGame } = request
    attempt.advance('Host_GameDetecting', waitForGame ? { notice: ports.worldNotice() } : {})
    ports.showExtra()
    // The results are kept for a minute: a world that is found meanwhile need not wait for them.
    void chooseUsed()
    if (waitForGame) await ports.world.waitUntilFound(signal)
  }

  function openServer(): HostServer {
    const { room, playerName: name, vendor } = request
    attempt.advance('Host_ScaffoldingStarting')
    return HostServer.open({
      attempt,
      room,
      host: { name, machineId: dependencies.machineIdIn(room), vendor },
      decisions,
      identity: dependencies.identityOf(room),
      run: dependencies.runIn(room),
      gamePort: () => ports.world.port(),
      extraPorts: ports.exposed.extra,
      changes: ports.changes,
      onFull: (isFull) => ports.notices.set('room', isFull ? noticeOf('room-full') : null),
      onSharedName: (shared) =>
        ports.notices.set('names', shared === undefined ? null : noticeOf('same-names', { name: shared })),
      onSharedId: (notice) => ports.notices.set('copies', notice),
      onKnown() {
        if (!attempt.isOver()) dependencies.onKnown(toKeptDecisions(decisions))
      },
      clock,
      log,
    })
  }

  /** Serves the room protocol to programs of this machine. @returns its port, which is none of those to be shared */
  async function listen({ server: opened }: HostServer): Promise<number> {
    const avoided = [ports.world.chosen(), ...ports.exposed.extra().map(({ tcp }) => tcp)]
    const tried = portsToTry(request.scaffoldingPort).filter((port) => !avoided.includes(port))
    const serve = (stream: ByteStream) => attempt.hold(opened.serve(stream, THIS_MACHINE))
    const { port, closed } = await localNet.listen(tried, serve, signal).catch(throwPortInUse)
    attempt.hold(closed)
    ports.exposed.openRoom(port)
    return port
  }

  async function openNetwork(opened: HostServer, roomPort: number): Promise<HostConnection> {
    attempt.advance('Host_NetworkStarting')
    const chosen = await chooseUsed()
    signal.throwIfAborted()
    if (chosen.skipped.length > 0) log.warn('dead shared nodes are not used', { nodes: chosen.skipped })
    const connection = await openHostNetwork(opened, {
      roomNetwork: dependencies.roomNetwork,
      identityOf: dependencies.identityOf,
      localNet,
      log,
      attempt,
      request,
      roomPort,
      nodes: chosen.used,
      ports,
    })
    opened.connect(connection)
    attempt.hold(connection.closed)
    // A player who was removed before the retry knows the network of the code.
    if (decisions.bans.hasRemoved()) connection.secret?.change()
    ports.connect(connection)
    const network = () => withSkipped(connection.status(), chosen)
    attempt.advance('Host_Running', {
      network: network(),
      connections: opened.connections(),
      notice: ports.notices.current(),
    })
    connection.onEvent(({ kind }) => {
      opened.look()
      attempt.update({
        connections: opened.connections(),
        ...(kind !== 'links' && { network: network() }),
      })
    })
    return connection
  }
}

/** How many ports from the configured one on are tried before any free one. */
const PORTS_TRIED = 20

function portsToTry(first: number): readonly number[] {
  const next = Array.from({ length: PORTS_TRIED }, (_, at) => first + at)
  return [...next.filter((port) => port <= 65_535), 0]
}

/** @throws RoomFailure `port-in-use` where none of the ports can be used */
function throwPortInUse(cause: unknown): never {
  if (!(cause instanceof ServiceError)) throw cause
  throw new RoomFailure('port-in-use', `The room protocol cannot listen: ${cause.detail}`, { cause })
}
