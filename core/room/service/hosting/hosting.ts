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
import type { GuestDecisions } from '../guests/guestControl'
import type { Attempt } from '../state/attempt'
import { noticeOf } from '../state/notices'
import { untilClosed } from '../state/untilRoomCloses'
import type { HostRequest } from './hostRequest'
import { HostServer } from './hostServer'
import { openHostNetwork } from './hostTraffic'
import { listenForGuests } from './listenForGuests'
import { createSharedPorts, type SharedPorts, type SharedPortsDependencies } from './sharedPorts'

export type Hosting = (attempt: Attempt, request: HostRequest) => HostRun

export type HostingDependencies = SharedPortsDependencies & {
  readonly roomNetwork: RoomNetwork
  /** Shared nodes of every room. */
  readonly configuredNodes: () => readonly string[]
  readonly checkNode: CheckNode
  readonly localNet: LocalNet
  readonly machineIdIn: (room: RoomCode) => string
  readonly identityOf: (room: RoomCode) => HostIdentity
  /** Called with the port of the room protocol; with undefined when it no longer listens. */
  readonly onRoomPort: (port: number | undefined) => void
  /** Called with the host's decisions when a player who was let in can be recognised from now on. */
  readonly onKnown: (decisions: KeptDecisions) => void
}

export function createHosting(dependencies: HostingDependencies): Hosting {
  /** A retry has the same request. */
  const decided = new WeakMap<HostRequest, HostDecisions>()
  return (attempt, request) => {
    const decisions = decided.get(request) ?? createHostDecisions(request.admission, request.decisions)
    decided.set(request, decisions)
    return new HostRun(dependencies, attempt, request, decisions)
  }
}

export class HostRun {
  readonly ports: SharedPorts
  readonly #dependencies: HostingDependencies
  readonly #attempt: Attempt
  readonly #request: HostRequest
  readonly #decisions: HostDecisions
  readonly #nodes: readonly string[]
  #server: HostServer | undefined

  constructor(
    dependencies: HostingDependencies,
    attempt: Attempt,
    request: HostRequest,
    decisions: HostDecisions,
  ) {
    this.#dependencies = dependencies
    this.#attempt = attempt
    this.#request = request
    this.#decisions = decisions
    this.#nodes = nodesOfRoom(dependencies.configuredNodes(), request.nodes)
    this.ports = createSharedPorts(dependencies, attempt, request)
  }

  /** undefined until the room protocol is served. */
  guests(): GuestDecisions | undefined {
    return this.#server?.control
  }

  decisions(): KeptDecisions {
    return toKeptDecisions(this.#decisions)
  }

  /** Hosts until it fails or the attempt ends. @throws RoomFailure, or the reason of the attempt's signal */
  async run(): Promise<never> {
    const { signal } = this.#attempt
    await this.#detectWorld()
    const server = this.#openServer()
    this.#server = server
    const roomPort = await this.#listen(server)
    const connection = await this.#openNetwork(server, roomPort)
    return await Promise.race([this.ports.world.watch(signal), untilClosed(connection, signal)])
  }

  async #detectWorld(): Promise<void> {
    const { waitForGame } = this.#request
    this.#attempt.advance('Host_GameDetecting', waitForGame ? { notice: this.ports.worldNotice() } : {})
    this.ports.showExtra()
    // The results are kept for a minute: a world that is found meanwhile need not wait for them.
    void this.#chooseNodes()
    if (waitForGame) await this.ports.world.waitUntilFound(this.#attempt.signal)
  }

  #openServer(): HostServer {
    const { machineIdIn, identityOf, onKnown, clock, log } = this.#dependencies
    const { room, playerName: name, vendor } = this.#request
    this.#attempt.advance('Host_ScaffoldingStarting')
    return new HostServer({
      attempt: this.#attempt,
      room,
      host: { name, machineId: machineIdIn(room), vendor },
      decisions: this.#decisions,
      identity: identityOf(room),
      gamePort: () => this.ports.world.port(),
      extraPorts: () => this.ports.exposed.extra(),
      changes: this.ports.changes,
      onFull: (isFull) => this.ports.notices.set('room', isFull ? noticeOf('room-full') : null),
      onSharedName: (name) =>
        this.ports.notices.set('names', name === undefined ? null : noticeOf('same-names', { name })),
      onKnown: () => onKnown(this.decisions()),
      clock,
      log,
    })
  }

  /** @returns the port of the room protocol */
  async #listen(server: HostServer): Promise<number> {
    const avoided = [this.ports.world.chosen(), ...this.ports.exposed.extra().map(({ tcp }) => tcp)]
    const options = { ...this.#dependencies, attempt: this.#attempt, avoided }
    const roomPort = await listenForGuests(server, this.#request.scaffoldingPort, options)
    this.ports.exposed.openRoom(roomPort)
    return roomPort
  }

  async #openNetwork(server: HostServer, roomPort: number): Promise<HostConnection> {
    const { signal } = this.#attempt
    this.#attempt.advance('Host_NetworkStarting')
    const nodes = await this.#chooseNodes()
    signal.throwIfAborted()
    if (nodes.skipped.length > 0)
      this.#dependencies.log.warn('dead shared nodes are not used', { nodes: nodes.skipped })
    const connection = await this.#connect(server, roomPort, nodes.used)
    const network = () => withSkipped(connection.status(), nodes)
    this.#attempt.advance('Host_Running', {
      network: network(),
      connections: server.connections(),
      notice: this.ports.notices.current(),
    })
    connection.onEvent(({ kind }) => {
      server.look()
      this.#attempt.update({
        connections: server.connections(),
        ...(kind !== 'links' && { network: network() }),
      })
    })
    return connection
  }

  async #connect(server: HostServer, roomPort: number, nodes: readonly string[]): Promise<HostConnection> {
    const connection = await openHostNetwork(server, {
      ...this.#dependencies,
      attempt: this.#attempt,
      request: this.#request,
      roomPort,
      nodes,
      ports: this.ports,
    })
    server.connect(connection)
    this.#attempt.hold(connection.closed)
    // A player who was removed before the retry knows the network of the code.
    if (this.#decisions.bans.hasRemoved()) connection.secret?.change()
    this.ports.connect(connection)
    return connection
  }

  #chooseNodes(): ReturnType<typeof chooseNodes> {
    const { checkNode: check, clock } = this.#dependencies
    return chooseNodes(this.#nodes, { check, clock })
  }
}
