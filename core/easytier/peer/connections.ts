import type { Connection } from '../transport/transports'
import { handshakeRequest } from '../wire/messages'
import { decodePacket, encodePacket, encodePong, type Packet, packetTypes, sequenceOf } from '../wire/packet'
import { decodeRefusal } from '../wire/refusal'
import { nextStep, surveyConnections } from './connectionMonitor'
import {
  isEstablished,
  isOvertakenForLong,
  type MonitoredConnection,
  newConnection,
  notePong,
  noteReceived,
  type OpenState,
  open,
  type SuspectState,
} from './connectionState'
import { type ConnectionsOptions, MonitoredConnections } from './monitoredConnections'
import type {
  ConnectionOrigin,
  ConnectionProblem,
  ConnectionsListener,
  PeerConnection,
} from './peerConnection'

type OpenedBy = Omit<ConnectionOrigin, 'transport' | 'remoteAddress'>

const MAX_HALF_OPEN = 32
/** To one neighbour: a machine with several addresses has some by each. There are 128 places for those by UDP. */
const MAX_OF_NEIGHBOUR = 16

const SILENT: ConnectionsListener = {
  onOpen: () => {},
  onClosed: () => {},
  onPacket: () => {},
  onChange: () => {},
  isUsed: () => false,
}

/** All connections of a peer: their handshakes and pings, and which one is best for a neighbour. */
export class Connections {
  readonly known: MonitoredConnections
  readonly #options: ConnectionsOptions
  #listener: ConnectionsListener = SILENT
  #hasNewRoundTrip = false
  #isClosing = false

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.known = new MonitoredConnections(options)
  }

  /** Registers the one that hears of them, before the first connection is taken. */
  listen(listener: ConnectionsListener): void {
    this.#listener = listener
  }

  /** Takes a connection over, and receives its packets. */
  take(transport: Connection, origin: OpenedBy): void {
    const connection = this.add(transport, origin)
    transport.onPacket((packet) => this.receive(connection, packet))
  }

  /** Takes a connection over, whose packets the caller hands to `receive`. */
  add(transport: Connection, openedBy: OpenedBy): MonitoredConnection {
    const { clock, handshake } = this.#options
    const origin = {
      ...openedBy,
      transport: transport.transport,
      remoteAddress: transport.remote.address,
    }
    const connection = newConnection(transport, origin, clock.now())
    // A dial may succeed while the peer is being closed: nothing else would close its connection.
    if (this.#isClosing) {
      connection.close()
      return connection
    }
    if (!origin.isDialler) this.#makeRoom()
    this.known.add(connection)
    void transport.closed.then(() => this.#forget(connection, 'closed'))
    if (origin.isDialler) this.#sendHandshake(connection, handshake.hello())
    return connection
  }

  /** Ignores what comes over a connection after it was closed. */
  receive(connection: MonitoredConnection, bytes: Uint8Array): void {
    const packet = this.known.has(connection) ? decodePacket(bytes) : undefined
    if (!packet) return
    if (isEstablished(connection.state)) this.#receiveEstablished(connection, connection.state, packet, bytes)
    else this.#receiveHandshake(connection, packet)
  }

  drop(connection: MonitoredConnection, problem: ConnectionProblem): void {
    this.#forget(connection, problem)
    connection.close()
  }

  /** Drops all connections to this neighbour. */
  dropAllOf(peerId: number, problem: ConnectionProblem): void {
    for (const connection of this.known.all())
      if (connection.peerId === peerId) this.drop(connection, problem)
  }

  established(): readonly PeerConnection[] {
    return this.known.all().filter(({ state }) => isEstablished(state))
  }

  /** To be called every half second. */
  tick(): void {
    const now = this.#options.clock.now()
    const neighbours = this.known.ofNeighbours()
    const { used, unresponsive } = surveyConnections(neighbours, now, this.#listener.isUsed)
    if (unresponsive.size > 0) this.known.suspectSharedNodes()
    for (const connection of this.known.all()) {
      const { state } = connection
      const step = nextStep(connection, now, {
        isUsed: used.has(connection),
        isNeighbourUnresponsive: unresponsive.has(connection.peerId),
      })
      if (step === 'drop') this.drop(connection, isEstablished(state) ? 'silent' : 'no-handshake')
      else if (step === 'ping' && isEstablished(state)) this.known.ping(connection, state)
    }
    if (this.#hasNewRoundTrip) this.#listener.onChange()
    this.#hasNewRoundTrip = false
  }

  close(): void {
    this.#isClosing = true
    for (const connection of this.known.all()) this.drop(connection, 'closed')
  }

  /** An honest handshake takes a round trip: among too many, the one that has waited longest is closed. */
  #makeRoom(): void {
    const halfOpen = this.known.halfOpen()
    const [oldest] = halfOpen
    if (oldest && halfOpen.length >= MAX_HALF_OPEN) this.drop(oldest, 'no-handshake')
  }

  #receiveEstablished(
    connection: MonitoredConnection,
    state: OpenState | SuspectState,
    packet: Packet,
    bytes: Uint8Array,
  ): void {
    noteReceived(connection, state, this.#options.clock.now())
    if (packet.type === packetTypes.ping) connection.send(encodePong(bytes))
    else if (packet.type === packetTypes.pong) this.#noteRoundTrip(connection, packet)
    else if (packet.type !== packetTypes.handshake) this.#listener.onPacket(packet, connection, bytes)
  }

  /** The first answer of a connection is told at once: before it, its round trip is an estimate. */
  #noteRoundTrip(connection: MonitoredConnection, pong: Packet): void {
    const isFirst = connection.answeredAt === undefined
    if (!notePong(connection, sequenceOf(pong), this.#options.clock.now())) return
    if (isFirst) this.#listener.onChange()
    else this.#hasNewRoundTrip = true
  }

  #sendHandshake({ send }: MonitoredConnection, payload: Uint8Array): void {
    send(encodePacket({ from: this.#options.ownId, to: 0, type: packetTypes.handshake }, payload))
  }

  /** Over UDP other packets may overtake the answer, or it is lost: a dialler ignores them for a while, and dials anew then. */
  #receiveHandshake(connection: MonitoredConnection, packet: Packet): void {
    const { origin } = connection
    const hello = packet.type === packetTypes.handshake ? handshakeRequest.decode(packet.payload) : undefined
    if (!hello) {
      const refusal = origin.isDialler && origin.url !== undefined ? decodeRefusal(packet) : undefined
      if (refusal) this.drop(connection, refusal)
      else if (!origin.isDialler) this.drop(connection, 'refused')
      else if (isOvertakenForLong(connection, this.#options.clock.now()))
        this.drop(connection, 'no-handshake')
      return
    }
    const { clock, handshake } = this.#options
    const { answer, problem, isSharedNode } = handshake.verify(hello, origin, this.known.neighbours())
    if (answer) this.#sendHandshake(connection, answer)
    if (problem) {
      this.drop(connection, problem)
      return
    }
    const opened = open(connection, { peerId: hello.myPeerId, isSharedNode }, clock.now())
    this.known.noteOpened(connection)
    this.#listener.onOpen(connection)
    this.known.ping(connection, opened)
    const surplus = this.known.surplus(connection.peerId, MAX_OF_NEIGHBOUR)
    if (surplus) this.drop(surplus, 'refused')
  }

  #forget(connection: MonitoredConnection, problem: ConnectionProblem): void {
    if (!this.known.has(connection)) return
    this.known.delete(connection)
    const wasOpen = isEstablished(connection.state)
    connection.state = { phase: 'closed' }
    if (wasOpen && !this.#isClosing) {
      this.known.pingAllOf(connection.peerId)
      this.known.suspectSharedNodes()
    }
    this.#listener.onClosed(connection, problem, wasOpen)
  }
}
