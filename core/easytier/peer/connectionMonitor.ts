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
 * @param neighbours the established connections to each
 * @param leadsToPeers whether peers are reached through this neighbour
 */
export function surveyConnections(
  neighbours: Iterable<ReadonlySet<MonitoredConnection>>,
  now: number,
  leadsToPeers: (connection: MonitoredConnection) => boolean,
) {
  const used = new Set<MonitoredConnection>()
  const unresponsive = new Set<number>()
  for (const connections of neighbours) {
    const best = bestConnection(connections, now)
    if (!best) continue
    if (leadsToPeers(best) || [...connections].some(hasRelayed)) used.add(best)
    if ([...connections].some(({ state }) => isUnresponsive(state, now))) unresponsive.add(best.peerId)
  }
  return { used, unresponsive }

  function hasRelayed({ state }: MonitoredConnection): boolean {
    return isEstablished(state) && now - state.traffic.relayedAt < RELAYED_MS
  }
}

/** Of the established connections to a neighbour, the one that packets to it should take. */
export function bestConnection(
  connections: Iterable<MonitoredConnection>,
  now: number,
): MonitoredConnection | undefined {
  let best: MonitoredConnection | undefined
  for (const one of connections) if (!best || isBetterConnection(one, best, now)) best = one
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
