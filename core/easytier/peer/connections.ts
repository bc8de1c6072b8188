import { handshakeRequest } from '../wire/messages'
import { decodePacket, encodePacket, encodePong, type Packet, packetTypes, sequenceOf } from '../wire/packet'
import { nextStep, surveyConnections } from './connectionMonitor'
import {
  isEstablished,
  isOvertakenForLong,
  type MonitoredConnection,
  newConnection,
  notePong,
  noteReceived,
  noteRelayed,
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

const MAX_HALF_OPEN = 32

/** All connections of a peer: their handshakes and pings, and which one is best for a neighbour. */
export class Connections {
  readonly known: MonitoredConnections
  readonly #options: ConnectionsOptions
  readonly #listener: ConnectionsListener
  #hasNewRoundTrip = false
  #isClosing = false

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.known = new MonitoredConnections(options)
    this.#listener = options.listener
  }

  add(id: number, origin: ConnectionOrigin): void {
    const { clock, handshake } = this.#options
    if (!origin.isDialler) this.#makeRoom()
    this.known.add(newConnection(id, origin, clock.now()))
    if (origin.isDialler) this.#sendHandshake(id, handshake.hello())
  }

  /** The transport has closed. */
  remove(id: number): void {
    this.#forget(id, 'closed')
  }

  receive(id: number, bytes: Uint8Array): void {
    const connection = this.known.get(id)
    const packet = connection && decodePacket(bytes)
    if (!connection || !packet) return
    if (isEstablished(connection.state)) this.#receiveEstablished(connection, connection.state, packet, bytes)
    else this.#receiveHandshake(connection, packet)
  }

  /** Notes that the neighbour has sent a packet for another peer: it uses us as a relay. */
  noteRelayed(id: number): void {
    const connection = this.known.get(id)
    if (connection) noteRelayed(connection, this.#options.clock.now())
  }

  drop(id: number, problem: ConnectionProblem): void {
    if (!this.known.get(id)) return
    this.#forget(id, problem)
    this.#options.close(id)
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
      if (step === 'drop') this.drop(connection.id, isEstablished(state) ? 'silent' : 'no-handshake')
      else if (step === 'ping' && isEstablished(state)) this.known.ping(connection, state)
    }
    if (this.#hasNewRoundTrip) this.#listener.onChange()
    this.#hasNewRoundTrip = false
  }

  close(): void {
    this.#isClosing = true
    for (const { id } of this.known.all()) this.drop(id, 'closed')
  }

  /** An honest handshake takes a round trip: among too many, the one that has waited longest is closed. */
  #makeRoom(): void {
    const halfOpen = this.known.halfOpen()
    const [oldest] = halfOpen
    if (oldest && halfOpen.length >= MAX_HALF_OPEN) this.drop(oldest.id, 'no-handshake')
  }

  #receiveEstablished(
    connection: MonitoredConnection,
    state: OpenState | SuspectState,
    packet: Packet,
    bytes: Uint8Array,
  ): void {
    noteReceived(connection, state, this.#options.clock.now())
    if (packet.type === packetTypes.ping) this.#options.send(connection.id, encodePong(bytes))
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

  #sendHandshake(id: number, payload: Uint8Array): void {
    const { ownId, send } = this.#options
    send(id, encodePacket({ from: ownId, to: 0, type: packetTypes.handshake }, payload))
  }

  /** Over UDP other packets may overtake the answer, or it is lost: a dialler ignores them for a while, and dials anew then. */
  #receiveHandshake(connection: MonitoredConnection, packet: Packet): void {
    const { id, origin } = connection
    const hello = packet.type === packetTypes.handshake ? handshakeRequest.decode(packet.payload) : undefined
    if (!hello) {
      if (!origin.isDialler) this.drop(id, 'refused')
      else if (isOvertakenForLong(connection, this.#options.clock.now())) this.drop(id, 'no-handshake')
      return
    }
    const { clock, handshake } = this.#options
    const { answer, problem, isSharedNode } = handshake.verify(hello, origin, this.known.neighbours())
    if (answer) this.#sendHandshake(id, answer)
    if (problem) {
      this.drop(id, problem)
      return
    }
    const opened = open(connection, { peerId: hello.myPeerId, isSharedNode }, clock.now())
    this.known.noteOpened(connection)
    this.#listener.onOpen(connection)
    this.known.ping(connection, opened)
  }

  #forget(id: number, problem: ConnectionProblem): void {
    const connection = this.known.get(id)
    if (!connection) return
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
