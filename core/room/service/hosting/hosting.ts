import { ServiceError } from '@lantern-room/base'
import type { ByteStream } from '@lantern-room/base/bytes'
import { WorldGone } from '@lantern-room/game'
import type { LocalNet } from '@lantern-room/game/ports'
import type { HostIdentity, RoomCode } from '@lantern-room/protocol'
import {
  createHostDecisions,
  type HostDecisions,
  type KeptDecisions,
  THIS_MACHINE,
  toKeptDecisions,
} from '@lantern-room/protocol/server'
import { RoomFailure } from '../../failure'
import { chooseNodes, withSkipped } from '../../nodes/chooseNodes'
import type { CheckNode } from '../../nodes/nodeHealth'
import { nodesOfRoom } from '../../nodes/nodes'
import type { HostConnection, RoomNetwork } from '../../roomNetwork'
import type { GuestControl } from '../guests/guestControl'
import type { Attempt } from '../state/attempt'
import { noticeOf } from '../state/notices'
import { nodesNotice } from './hostNotices'
import type { HostRequest } from './hostRequest'
import { HostServer } from './hostServer'
import { openHostNetwork } from './hostTraffic'
import { createSharedPorts, type SharedPorts, type SharedPortsDependencies } from './sharedPorts'

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
  return (attempt, request) => HostRun.open(dependencies, attempt, request)
}

/** One attempt to host a room. */
export class HostRun {
  readonly ports: SharedPorts
  readonly #dependencies: HostingDependencies
  readonly #attempt: Attempt
  readonly #request: HostRequest
  readonly #decisions: HostDecisions
  /** Shared nodes of this room. */
  readonly #nodes: readonly string[]
  /** undefined until the room protocol is served. */
  #server: HostServer | undefined

  private constructor(
    dependencies: HostingDependencies,
    attempt: Attempt,
    request: HostRequest,
    parts: {
      readonly ports: SharedPorts
      readonly decisions: HostDecisions
      readonly nodes: readonly string[]
    },
  ) {
    this.#dependencies = dependencies
    this.#attempt = attempt
    this.#request = request
    this.ports = parts.ports
    this.#decisions = parts.decisions
    this.#nodes = parts.nodes
  }

  /** What is shared can be ordered from now on; `run` opens the room. */
  static open(dependencies: HostingDependencies, attempt: Attempt, request: HostRequest): HostRun {
    return new HostRun(dependencies, attempt, request, {
      ports: createSharedPorts(dependencies, attempt, request),
      decisions: createHostDecisions(request.admission, request.decisions),
      nodes: nodesOfRoom(dependencies.configuredNodes(), request.nodes),
    })
  }

  /** undefined until the room protocol is served. */
  guests(): GuestControl | undefined {
    return this.#server?.control
  }

  decisions(): KeptDecisions {
    return toKeptDecisions(this.#decisions)
  }

  /** The request with what was ordered and decided since, for a retry. */
  asOrdered(): HostRequest {
    return {
      ...this.#request,
      gamePort: this.ports.world.chosen(),
      extraPorts: this.ports.exposed.wanted(),
      admission: this.#decisions.policy,
      decisions: this.decisions(),
    }
  }

  /** Hosts until it fails or the attempt ends. @throws RoomFailure, or the reason of the attempt's signal */
  async run(): Promise<never> {
    try {
      return await this.#host(this.#attempt.signal)
    } catch (error) {
      throw error instanceof WorldGone ? new RoomFailure('game-gone', error.message) : error
    }
  }

  async #host(signal: AbortSignal): Promise<never> {
    await this.#detectWorld()
    const server = this.#openServer()
    this.#server = server
    const connection = await this.#openNetwork(server, await this.#listen(server))
    const closed = connection.closed.then(() => Promise.reject(signal.reason))
    return await Promise.race([this.ports.world.watch(signal), closed])
  }

  async #detectWorld(): Promise<void> {
    const { waitForGame } = this.#request
    const { ports } = this
    this.#attempt.advance('Host_GameDetecting', waitForGame ? { notice: ports.worldNotice() } : {})
    ports.showExtra()
    // The results are kept for a minute: a world that is found meanwhile need not wait for them.
    void this.#chooseUsed()
    if (waitForGame) await ports.world.waitUntilFound(this.#attempt.signal)
  }

  #openServer(): HostServer {
    const { machineIdIn, identityOf, runIn, onKnown, clock, log } = this.#dependencies
    const { room, playerName: name, vendor } = this.#request
    const { ports } = this
    this.#attempt.advance('Host_ScaffoldingStarting')
    return HostServer.open({
      attempt: this.#attempt,
      room,
      host: { name, machineId: machineIdIn(room), vendor },
      decisions: this.#decisions,
      identity: identityOf(room),
      run: runIn(room),
      gamePort: () => ports.world.port(),
      extraPorts: ports.exposed.extra,
      changes: ports.changes,
      onFull: (isFull) => ports.notices.set('room', isFull ? noticeOf('room-full') : null),
      onSharedName: (shared) =>
        ports.notices.set('names', shared === undefined ? null : noticeOf('same-names', { name: shared })),
      onSharedId: (notice) => ports.notices.set('copies', notice),
      onKnown: () => {
        if (!this.#attempt.isOver()) onKnown(this.decisions())
      },
      clock,
      log,
    })
  }

  /** Serves the room protocol to programs of this machine. @returns its port, which is none of those to be shared */
  async #listen({ server }: HostServer): Promise<number> {
    const { world, exposed } = this.ports
    const attempt = this.#attempt
    const avoided = [world.chosen(), ...exposed.extra().map(({ tcp }) => tcp)]
    const tried = portsToTry(this.#request.scaffoldingPort).filter((port) => !avoided.includes(port))
    const serve = (stream: ByteStream) => attempt.hold(server.serve(stream, THIS_MACHINE))
    const { localNet } = this.#dependencies
    const { port, closed } = await localNet.listen(tried, serve, attempt.signal).catch(throwPortInUse)
    attempt.hold(closed)
    exposed.openRoom(port)
    return port
  }

  async #openNetwork(server: HostServer, roomPort: number): Promise<HostConnection> {
    const { roomNetwork, identityOf, localNet, log } = this.#dependencies
    const { ports } = this
    const attempt = this.#attempt
    attempt.advance('Host_NetworkStarting')
    const chosen = await this.#chooseUsed()
    attempt.signal.throwIfAborted()
    if (chosen.skipped.length > 0) log.warn('dead shared nodes are not used', { nodes: chosen.skipped })
    const connection = await openHostNetwork(server, {
      roomNetwork,
      identityOf,
      localNet,
      log,
      attempt,
      request: this.#request,
      roomPort,
      nodes: chosen.used,
      ports,
    })
    server.connect(connection)
    attempt.hold(connection.closed)
    // A player who was removed before the retry knows the network of the code.
    if (this.#decisions.bans.hasRemoved()) connection.secret?.change()
    ports.connect(connection)
    const network = () => withSkipped(connection.status(), chosen)
    const showNodes = () => ports.notices.set('nodes', nodesNotice(connection.status().nodes))
    showNodes()
    attempt.advance('Host_Running', {
      network: network(),
      connections: server.connections(),
      notice: ports.notices.current(),
    })
    connection.onEvent(({ kind }) => {
      server.look()
      if (kind === 'status') showNodes()
      attempt.update({
        connections: server.connections(),
        ...(kind !== 'links' && { network: network() }),
      })
    })
    return connection
  }

  #chooseUsed(): ReturnType<typeof chooseNodes> {
    const { checkNode: check, clock } = this.#dependencies
    return chooseNodes(this.#nodes, { check, clock })
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
