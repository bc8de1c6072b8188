import type { Clock } from '#core/async/clock'
import { handshakeRequest } from '../wire/messages'
import {
  decodePacket,
  encodePacket,
  encodePing,
  encodePong,
  type Packet,
  packetTypes,
  sequenceOf,
} from '../wire/packet'
import { bestConnection, nextStep, type Surroundings, surveyConnections } from './connectionMonitor'
import {
  isEstablished,
  isUnresponsive,
  type MonitoredConnection,
  newConnection,
  nextPing,
  notePong,
  noteReceived,
  type OpenState,
  open,
  type SuspectState,
  suspect,
  UNRESPONSIVE_MS,
} from './connectionState'
import type { Handshake } from './handshake'
import type { ConnectionOrigin, ConnectionProblem, PeerConnection } from './peerConnection'

export type ConnectionsOptions = {
  readonly ownId: number
  readonly handshake: Handshake
  readonly clock: Clock
  /** Sends a whole packet over the connection with this id. */
  readonly send: (id: number, packet: Uint8Array) => void
  /** Closes the transport of the connection with this id. */
  readonly close: (id: number) => void
}

export type ConnectionsListener = {
  /** The handshake is done. */
  readonly onOpen: (connection: PeerConnection) => void
  /** @param wasOpen whether the handshake was done */
  readonly onClosed: (connection: PeerConnection, problem: ConnectionProblem, wasOpen: boolean) => void
  /** Every packet but handshakes, pings and pongs. @param bytes the whole packet */
  readonly onPacket: (packet: Packet, connection: PeerConnection, bytes: Uint8Array) => void
  /** Another connection may be the best one now. Of a connection's later round trips it is told once a tick: there are a hundred a second in a full room. */
  readonly onChange: () => void
  /** Whether a peer is reached through this neighbour. */
  readonly isUsed: (connection: PeerConnection) => boolean
}

/** All connections of a peer: their handshakes and pings, and which one is best for a neighbour. */
export type Connections = {
  /** To be called once, before the first connection is added. */
  listen(listener: ConnectionsListener): void
  add(id: number, origin: ConnectionOrigin): void
  /** The transport has closed. */
  remove(id: number): void
  receive(id: number, bytes: Uint8Array): void
  /** Notes that the neighbour has sent a packet for another peer: it uses us as a relay. */
  noteRelayed(id: number): void
  /** Closes a connection. */
  drop(id: number, problem: ConnectionProblem): void
  best(peerId: number): PeerConnection | undefined
  /** Whether there is a connection to this neighbour that answers. */
  isResponsive(peerId: number): boolean
  /** Peer ids of the other ends, each once. */
  neighbours(): readonly number[]
  /** Those whose handshake is done. */
  established(): readonly PeerConnection[]
  /** Of all, also those in their handshake. */
  readonly size: number
  /** To be called every half second. */
  tick(): void
  /** After a change of the network: drops every connection that does not answer soon. */
  suspectAll(): void
  close(): void
}

/** After a change of the network: a working connection answers within this even if a ping is lost. */
const NETWORK_CHANGED_MS = 3000
/** Where there is less reason for suspicion. */
const SUSPICION_MS = 5500
/** Packets do not overtake the answer of a handshake by more. */
const OVERTAKEN_MS = 500
const MAX_HALF_OPEN = 32

const NO_LISTENER: ConnectionsListener = {
  onOpen() {},
  onClosed() {},
  onPacket() {},
  onChange() {},
  isUsed: () => false,
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { ownId, handshake, clock, send } = options
  const connections = new Map<number, MonitoredConnection>()
  /** Those whose handshake is done, by the peer at the other end: it is asked for each packet. No set is empty. */
  const byPeer = new Map<number, Set<MonitoredConnection>>()
  let listener: ConnectionsListener = NO_LISTENER
  let hasNewRoundTrip = false
  let isClosing = false

  return {
    listen(next) {
      listener = next
    },

    add(id, origin) {
      if (!origin.isDialler) makeRoom()
      connections.set(id, newConnection(id, origin, clock.now()))
      if (origin.isDialler) send(id, handshakePacket(handshake.hello()))
    },

    remove: (id) => forget(id, 'closed'),
    drop,

    receive(id, bytes) {
      const connection = connections.get(id)
      const packet = connection && decodePacket(bytes)
      if (!connection || !packet) return
      if (isEstablished(connection.state)) receiveEstablished(connection, connection.state, packet, bytes)
      else receiveHandshake(connection, packet)
    },

    noteRelayed(id) {
      const connection = connections.get(id)
      if (!connection || !isEstablished(connection.state)) return
      const { state } = connection
      noteReceived(connection, state, clock.now())
      state.traffic.relayedAt = state.traffic.receivedAt
    },

    best,
    isResponsive(peerId) {
      const connection = best(peerId)
      return connection !== undefined && !isUnresponsive(connection.state, clock.now())
    },

    neighbours,
    established: () => [...connections.values()].filter(({ state }) => isEstablished(state)),
    get size() {
      return connections.size
    },

    tick() {
      const now = clock.now()
      const { used, unresponsive } = surveyConnections(connections.values(), now, listener.isUsed)
      if (unresponsive.size > 0) suspectSharedNodes()
      for (const connection of [...connections.values()]) {
        advance(connection, now, {
          isUsed: used.has(connection),
          isNeighbourUnresponsive: unresponsive.has(connection.peerId),
        })
      }
      if (hasNewRoundTrip) listener.onChange()
      hasNewRoundTrip = false
    },

    suspectAll: () => suspectThose(() => true, NETWORK_CHANGED_MS, true),

    close() {
      isClosing = true
      for (const id of [...connections.keys()]) drop(id, 'closed')
    },
  }

  function best(peerId: number): MonitoredConnection | undefined {
    return bestConnection(byPeer.get(peerId) ?? [], peerId, clock)
  }

  /** An honest handshake takes a round trip: among too many, the one that has waited longest is closed. */
  function makeRoom(): void {
    const halfOpen = [...connections.values()].filter(
      ({ state, origin }) => state.phase === 'handshaking' && !origin.isDialler,
    )
    const [oldest] = halfOpen
    if (oldest && halfOpen.length >= MAX_HALF_OPEN) drop(oldest.id, 'no-handshake')
  }

  function advance(connection: MonitoredConnection, now: number, surroundings: Surroundings): void {
    const { state } = connection
    const step = nextStep(connection, now, surroundings)
    if (step === 'drop') drop(connection.id, isEstablished(state) ? 'silent' : 'no-handshake')
    else if (step === 'ping' && isEstablished(state)) ping(connection, state, now)
  }

  /**
   * A shared node is the fallback for a neighbour that does not answer or has gone, and may have failed together with it.
   * Both failures should be noticed at the same time, not one after the other.
   */
  function suspectSharedNodes(): void {
    const now = clock.now()
    const isQuiet = ({ isSharedNode, state }: MonitoredConnection) =>
      isSharedNode && state.phase === 'open' && now - state.traffic.receivedAt > UNRESPONSIVE_MS
    suspectThose(isQuiet, SUSPICION_MS, false)
  }

  function suspectThose(
    isMeant: (connection: MonitoredConnection) => boolean,
    ms: number,
    needsAnswer: boolean,
  ): void {
    const now = clock.now()
    for (const connection of connections.values()) {
      const { state } = connection
      if (!isEstablished(state) || !isMeant(connection)) continue
      ping(connection, state, now)
      suspect(connection, state, now + ms, needsAnswer)
    }
  }

  function receiveEstablished(
    connection: MonitoredConnection,
    state: OpenState | SuspectState,
    packet: Packet,
    bytes: Uint8Array,
  ): void {
    noteReceived(connection, state, clock.now())
    if (packet.type === packetTypes.ping) send(connection.id, encodePong(bytes))
    else if (packet.type === packetTypes.pong) {
      noteRoundTrip(connection, packet)
    } else if (packet.type !== packetTypes.handshake) listener.onPacket(packet, connection, bytes)
  }

  /** The first answer of a connection is told at once: before it, its round trip is an estimate. */
  function noteRoundTrip(connection: MonitoredConnection, pong: Packet): void {
    const isFirst = connection.answeredAt === undefined
    if (!notePong(connection, sequenceOf(pong), clock.now())) return
    if (isFirst) listener.onChange()
    else hasNewRoundTrip = true
  }

  function neighbours(): readonly number[] {
    return [...byPeer.keys()]
  }

  function handshakePacket(payload: Uint8Array): Uint8Array {
    return encodePacket({ from: ownId, to: 0, type: packetTypes.handshake }, payload)
  }

  /** Over UDP other packets may overtake the answer, or it is lost: a dialler ignores them for a while, and dials anew then. */
  function receiveHandshake(connection: MonitoredConnection, packet: Packet): void {
    const { id, origin } = connection
    const hello = packet.type === packetTypes.handshake ? handshakeRequest.decode(packet.payload) : undefined
    if (!hello) {
      if (!origin.isDialler) drop(id, 'refused')
      else noteOvertaken(connection)
      return
    }
    const { answer, problem, isSharedNode } = handshake.verify(hello, origin, neighbours())
    if (answer) send(id, handshakePacket(answer))
    if (problem) {
      drop(id, problem)
      return
    }
    const now = clock.now()
    const opened = open(connection, { peerId: hello.myPeerId, isSharedNode }, now)
    byPeer.set(hello.myPeerId, (byPeer.get(hello.myPeerId) ?? new Set()).add(connection))
    listener.onOpen(connection)
    ping(connection, opened, now)
  }

  function noteOvertaken(connection: MonitoredConnection): void {
    const { id, state } = connection
    if (state.phase !== 'handshaking') return
    const { overtakenAt = clock.now() } = state
    if (clock.now() - overtakenAt >= OVERTAKEN_MS) drop(id, 'no-handshake')
    else connection.state = { ...state, overtakenAt }
  }

  function ping(
    { id, peerId }: MonitoredConnection,
    { traffic }: OpenState | SuspectState,
    now: number,
  ): void {
    send(id, encodePing(ownId, peerId, nextPing(traffic, now)))
  }

  function drop(id: number, problem: ConnectionProblem): void {
    if (!connections.has(id)) return
    forget(id, problem)
    options.close(id)
  }

  function forget(id: number, problem: ConnectionProblem): void {
    const connection = connections.get(id)
    if (!connection) return
    connections.delete(id)
    forgetPeerOf(connection)
    const wasOpen = isEstablished(connection.state)
    connection.state = { phase: 'closed' }
    if (wasOpen && !isClosing) {
      pingOthersOf(connection.peerId)
      suspectSharedNodes()
    }
    listener.onClosed(connection, problem, wasOpen)
  }

  function forgetPeerOf(connection: MonitoredConnection): void {
    const ofPeer = byPeer.get(connection.peerId)
    ofPeer?.delete(connection)
    if (ofPeer?.size === 0) byPeer.delete(connection.peerId)
  }

  /** A neighbour that has ended has ended on its other connections, too, also where no transport reports it. */
  function pingOthersOf(peerId: number): void {
    for (const other of connections.values()) {
      if (other.peerId === peerId && isEstablished(other.state)) ping(other, other.state, clock.now())
    }
  }
}
