import type { Clock } from '#core/async/clock'
import {
  type ConnectionState,
  isEstablished,
  isUnresponsive,
  type MonitoredConnection,
  type OpenState,
  type SuspectState,
  UNRESPONSIVE_MS,
} from './connectionState'
import type { ConnectionOrigin } from './peerConnection'

/** The facts about the other connections that nextStep needs. */
export type Surroundings = {
  /** Packets take this connection, or will soon. */
  readonly isUsed: boolean
  /** One of the connections to this neighbour does not answer. */
  readonly isNeighbourUnresponsive: boolean
}

const HANDSHAKE_MS = 5000
/** A lost handshake over UDP is not sent again: dialling anew is quicker. */
const UDP_HANDSHAKE_MS = 2500
/** On the connection that packets take. */
const PING_MS = 3000
/** The first pings measure the round trip. */
const FIRST_PINGS = 3
const FIRST_PINGS_MS = 400
/**
 * On idle connections. The accepting side waits longer, so that usually only the dialler pings: receiving a ping proves as
 * much as receiving its answer.
 */
const IDLE_PING_MS = { dialler: 10_000, acceptor: 13_000 }
/** An idle connection's round trip is measured at least this often. */
const MEASURE_MS = 30_000
/** A ping has been unanswered for this long, and nothing else has come. */
const SILENT_MS = 7000
/** Nothing has come for this long: this machine has slept. */
const SLEPT_MS = 35_000
/** A neighbour that used us as a relay this recently will do so again: members send each other something every 5 s. */
const RELAYED_MS = 10_000
const SUSPECT_PING_MS = 900
/** Within a LAN TCP costs less; over the internet it stalls at every lost packet. */
const NEAR_MS = 3
/** Until a round trip has been measured. */
const UNMEASURED_MS = 500

/** Decides what to do with a connection now; called every half second. */
export function nextStep(
  { state, origin }: { readonly state: ConnectionState; readonly origin: ConnectionOrigin },
  now: number,
  surroundings: Surroundings,
): 'ping' | 'drop' | 'wait' {
  if (state.phase === 'closed') return 'wait'
  if (state.phase === 'handshaking') return now - state.since >= handshakeLimit(origin) ? 'drop' : 'wait'
  if (isDead(state, now)) return 'drop'
  return now >= pingDueAt(state, origin, surroundings) ? 'ping' : 'wait'
}

/**
 * The connections that packets take, and the neighbours with a connection that does not answer.
 * @param leadsToPeers whether peers are reached through this neighbour
 */
export function surveyConnections(
  connections: Iterable<MonitoredConnection>,
  now: number,
  leadsToPeers: (connection: MonitoredConnection) => boolean,
): {
  readonly used: ReadonlySet<MonitoredConnection>
  readonly unresponsive: ReadonlySet<number>
} {
  const best = new Map<number, MonitoredConnection>()
  const unresponsive = new Set<number>()
  const relayed = new Set<number>()
  for (const connection of connections) {
    const { state, peerId } = connection
    if (!isEstablished(state)) continue
    if (isUnresponsive(state, now)) unresponsive.add(peerId)
    if (now - state.traffic.relayedAt < RELAYED_MS) relayed.add(peerId)
    const other = best.get(peerId)
    if (!other || isBetterConnection(connection, other, now)) best.set(peerId, connection)
  }
  const isUsed = (one: MonitoredConnection) => relayed.has(one.peerId) || leadsToPeers(one)
  return { used: new Set([...best.values()].filter(isUsed)), unresponsive }
}

/** The connection that packets to a neighbour should take. */
export function bestConnection(
  connections: Iterable<MonitoredConnection>,
  peerId: number,
  clock: Clock,
): MonitoredConnection | undefined {
  let best: MonitoredConnection | undefined
  for (const connection of connections) {
    if (connection.peerId !== peerId || !isEstablished(connection.state)) continue
    if (!best || isBetterConnection(connection, best, clock.now())) best = connection
  }
  return best
}

/** Whether packets to a neighbour should rather take the one connection than the other. */
export function isBetterConnection(
  one: MonitoredConnection,
  other: MonitoredConnection,
  now: number,
): boolean {
  const isOneUnresponsive = isUnresponsive(one.state, now)
  if (isOneUnresponsive !== isUnresponsive(other.state, now)) return !isOneUnresponsive
  return cost(one) < cost(other)
}

function handshakeLimit({ isDialler, transport }: ConnectionOrigin): number {
  return isDialler && transport === 'udp' ? UDP_HANDSHAKE_MS : HANDSHAKE_MS
}

function isDead(state: OpenState | SuspectState, now: number): boolean {
  const { receivedAt, unansweredSince } = state.traffic
  if (state.phase === 'suspect' && now >= state.until) return true
  if (now - receivedAt >= SLEPT_MS) return true
  return unansweredSince !== undefined && now - Math.max(unansweredSince, receivedAt) >= SILENT_MS
}

function pingDueAt(
  { phase, traffic }: OpenState | SuspectState,
  { isDialler }: ConnectionOrigin,
  { isUsed, isNeighbourUnresponsive }: Surroundings,
): number {
  const { pingedAt, pingCount, receivedAt, unansweredSince } = traffic
  if (phase === 'suspect') return pingedAt + SUSPECT_PING_MS
  if (isNeighbourUnresponsive) return pingedAt + UNRESPONSIVE_MS
  if (pingCount < FIRST_PINGS) return pingedAt + FIRST_PINGS_MS
  if (isUsed || unansweredSince !== undefined) return pingedAt + PING_MS
  // Received packets prove that an idle connection works.
  const pause = isDialler ? IDLE_PING_MS.dialler : IDLE_PING_MS.acceptor
  return Math.min(Math.max(pingedAt, receivedAt) + pause, pingedAt + MEASURE_MS)
}

function cost({ roundTrip = UNMEASURED_MS, origin }: MonitoredConnection): number {
  if (roundTrip <= NEAR_MS) return origin.transport === 'tcp' ? 0 : NEAR_MS
  return origin.transport === 'udp' ? roundTrip : roundTrip * 1.3 + 10
}
