import type { Clock } from '@lantern-room/base/async'
import { encodePing } from '../wire/packet'
import { bestConnection } from './connectionMonitor'
import {
  isEstablished,
  isUnresponsive,
  type MonitoredConnection,
  nextPing,
  type OpenState,
  type SuspectState,
  suspect,
  UNRESPONSIVE_MS,
} from './connectionState'
import type { Handshake } from './handshake'

export type ConnectionsOptions = {
  readonly ownId: number
  readonly handshake: Handshake
  readonly clock: Clock
}

/** After a change of the network: a working connection answers within this even if a ping is lost. */
const NETWORK_CHANGED_MS = 3000
/** Where there is less reason for suspicion. */
const SUSPICION_MS = 5500

/** The connections of a peer, by their neighbours, and the pings that are sent over them. */
export class MonitoredConnections {
  readonly #options: Pick<ConnectionsOptions, 'ownId' | 'clock'>
  readonly #all = new Set<MonitoredConnection>()
  /** The connections whose handshake is done, by the peer at the other end. It is read for each packet. No set is empty. */
  readonly #byPeer = new Map<number, Set<MonitoredConnection>>()

  constructor(options: Pick<ConnectionsOptions, 'ownId' | 'clock'>) {
    this.#options = options
  }

  /** The number of connections, including those in their handshake. */
  get size(): number {
    return this.#all.size
  }

  has(connection: MonitoredConnection): boolean {
    return this.#all.has(connection)
  }

  /** A copy: connections may close while it is iterated over. */
  all(): readonly MonitoredConnection[] {
    return [...this.#all]
  }

  /** Accepted ones that are still in their handshake, the oldest first. */
  halfOpen(): readonly MonitoredConnection[] {
    return this.all().filter(({ state, origin }) => state.phase === 'handshaking' && !origin.isDialler)
  }

  add(connection: MonitoredConnection): void {
    this.#all.add(connection)
  }

  /** The handshake is done: the connection now has a peer id. */
  noteOpened(connection: MonitoredConnection): void {
    const { peerId } = connection
    this.#byPeer.set(peerId, (this.#byPeer.get(peerId) ?? new Set()).add(connection))
  }

  /** Where there are more than `most` established ones to this neighbour, the one over which nothing has come for longest. */
  surplus(peerId: number, most: number): MonitoredConnection | undefined {
    const ofPeer = [...(this.#byPeer.get(peerId) ?? [])]
    const heardAt = ({ state }: MonitoredConnection) => (isEstablished(state) ? state.traffic.receivedAt : 0)
    return ofPeer.length <= most
      ? undefined
      : ofPeer.reduce((one, other) => (heardAt(other) < heardAt(one) ? other : one))
  }

  delete(connection: MonitoredConnection): void {
    this.#all.delete(connection)
    const ofPeer = this.#byPeer.get(connection.peerId)
    ofPeer?.delete(connection)
    if (ofPeer?.size === 0) this.#byPeer.delete(connection.peerId)
  }

  /** The established ones to each neighbour. */
  ofNeighbours(): Iterable<ReadonlySet<MonitoredConnection>> {
    return this.#byPeer.values()
  }

  /** Peer ids of the other ends, each once. */
  neighbours(): readonly number[] {
    return [...this.#byPeer.keys()]
  }

  best(peerId: number): MonitoredConnection | undefined {
    return bestConnection(this.#byPeer.get(peerId) ?? [], this.#options.clock.now())
  }

  /** Whether there is a connection to this neighbour that answers. */
  isResponsive(peerId: number): boolean {
    const connection = this.best(peerId)
    return connection !== undefined && !isUnresponsive(connection.state, this.#options.clock.now())
  }

  ping(connection: MonitoredConnection, { traffic }: OpenState | SuspectState): void {
    const { ownId, clock } = this.#options
    connection.send(encodePing(ownId, connection.peerId, nextPing(traffic, clock.now())))
  }

  /** A neighbour that has ended has ended on its other connections, too, also where no transport reports it. */
  pingAllOf(peerId: number): void {
    for (const connection of this.#byPeer.get(peerId) ?? []) {
      if (isEstablished(connection.state)) this.ping(connection, connection.state)
    }
  }

  /** After a change of the network: every connection has to answer soon. */
  suspectAll(): void {
    this.#suspectThose(() => true, NETWORK_CHANGED_MS, true)
  }

  /**
   * A shared node is the fallback for a neighbour that does not answer or has gone, and may have failed together with it.
   * Both failures should be noticed at the same time, not one after the other.
   */
  suspectSharedNodes(): void {
    const now = this.#options.clock.now()
    const isQuiet = ({ isSharedNode, state }: MonitoredConnection) =>
      isSharedNode && state.phase === 'open' && now - state.traffic.receivedAt > UNRESPONSIVE_MS
    this.#suspectThose(isQuiet, SUSPICION_MS, false)
  }

  #suspectThose(
    isMeant: (connection: MonitoredConnection) => boolean,
    ms: number,
    needsAnswer: boolean,
  ): void {
    const until = this.#options.clock.now() + ms
    for (const connection of this.#all) {
      const { state } = connection
      if (!isEstablished(state) || !isMeant(connection)) continue
      this.ping(connection, state)
      suspect(connection, state, until, needsAnswer)
    }
  }
}
