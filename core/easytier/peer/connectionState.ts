import type { Connection } from '../transport/transports'
import type { ConnectionOrigin, PeerConnection } from './peerConnection'

/** A connection with its state, which `Connections` keeps up to date. */
export type MonitoredConnection = {
  -readonly [Key in Exclude<keyof PeerConnection, 'send' | 'origin'>]: PeerConnection[Key]
} & Pick<PeerConnection, 'send' | 'origin'> & {
    readonly close: () => void
    state: ConnectionState
  }

export type ConnectionState = HandshakingState | OpenState | SuspectState | ClosedState

export type HandshakingState = {
  readonly phase: 'handshaking'
  readonly since: number
  /** When the other side, for which it is open, first sent something else than the answer that is waited for. */
  readonly overtakenAt?: number
}
export type OpenState = { readonly phase: 'open'; readonly traffic: Traffic }
/** There is a reason to believe that it is dead: it is pinged more often and has until `until` to show that it is not. */
export type SuspectState = {
  readonly phase: 'suspect'
  readonly traffic: Traffic
  readonly until: number
  /** The ping with this number, or a later one, has to be answered. */
  readonly sequence: number
  /** False where any packet counts as well. */
  readonly needsAnswer: boolean
}
export type ClosedState = { readonly phase: 'closed' }

/** When packets and pings passed, in the clock's time. Updated in place: there is one for each connection, not for each packet. */
export type Traffic = {
  receivedAt: number
  /** When the neighbour last sent something for another peer, which was forwarded. */
  relayedAt: number
  pingCount: number
  /** The sequence number of the latest ping. */
  sequence: number
  pingedAt: number
  /** Since when pings have gone without an answer. */
  unansweredSince: number | undefined
}

/** Without an answer for this long another connection is preferred; also the interval at which alternatives are pinged. */
export const UNRESPONSIVE_MS = 1500

/** Packets do not overtake the answer of a handshake by more. */
const OVERTAKEN_MS = 500

/** @param transport what the connection is made of, from now on used by it alone */
export function newConnection(
  transport: Pick<Connection, 'send' | 'close'>,
  origin: ConnectionOrigin,
  now: number,
): MonitoredConnection {
  return {
    send: (packet) => transport.send(packet),
    close: () => transport.close(),
    origin,
    peerId: 0,
    isSharedNode: false,
    roundTrip: undefined,
    answeredAt: undefined,
    state: { phase: 'handshaking', since: now },
  }
}

export function isEstablished(state: ConnectionState): state is OpenState | SuspectState {
  return state.phase === 'open' || state.phase === 'suspect'
}

/** A ping has waited too long for its answer. */
export function isUnresponsive(state: ConnectionState, now: number): boolean {
  if (!isEstablished(state)) return false
  const { unansweredSince, receivedAt } = state.traffic
  return (
    unansweredSince !== undefined &&
    now - unansweredSince > UNRESPONSIVE_MS &&
    now - receivedAt > UNRESPONSIVE_MS
  )
}

export function open(
  connection: MonitoredConnection,
  peer: { readonly peerId: number; readonly isSharedNode: boolean },
  now: number,
): OpenState {
  const { state, origin } = connection
  connection.peerId = peer.peerId
  connection.isSharedNode = peer.isSharedNode
  if (origin.isDialler && state.phase === 'handshaking') {
    connection.roundTrip = Math.max(0, now - state.since)
  }
  const opened: OpenState = { phase: 'open', traffic: newTraffic(now) }
  connection.state = opened
  return opened
}

/** To be called right after a ping was sent: that ping has to be answered before `until`. */
export function suspect(
  connection: MonitoredConnection,
  { traffic }: OpenState | SuspectState,
  until: number,
  needsAnswer: boolean,
): void {
  connection.state = { phase: 'suspect', traffic, until, sequence: traffic.sequence, needsAnswer }
}

/** @returns the sequence number of the ping that is to be sent now */
export function nextPing(traffic: Traffic, now: number): number {
  traffic.sequence = (traffic.sequence + 1) >>> 0
  traffic.pingCount += 1
  traffic.pingedAt = now
  traffic.unansweredSince ??= now
  return traffic.sequence
}

export function noteReceived(
  connection: MonitoredConnection,
  state: OpenState | SuspectState,
  now: number,
): void {
  state.traffic.receivedAt = now
  if (state.phase === 'suspect' && !state.needsAnswer) clearSuspicion(connection, state)
}

/** The neighbour has sent a packet for another peer. */
export function noteRelayed(connection: MonitoredConnection, now: number): void {
  const { state } = connection
  if (!isEstablished(state)) return
  noteReceived(connection, state, now)
  state.traffic.relayedAt = now
}

/**
 * Notes that something else than the awaited answer of the handshake has come.
 * @returns whether that goes on for longer than packets overtake the answer
 */
export function isOvertakenForLong(connection: MonitoredConnection, now: number): boolean {
  const { state } = connection
  if (state.phase !== 'handshaking') return false
  const { overtakenAt = now } = state
  connection.state = { ...state, overtakenAt }
  return now - overtakenAt >= OVERTAKEN_MS
}

/** A ping was answered. @returns whether it was the latest one, so that there is a new round trip */
export function notePong(
  connection: MonitoredConnection,
  sequence: number | undefined,
  now: number,
): boolean {
  const { state } = connection
  if (!isEstablished(state)) return false
  const { traffic } = state
  if (state.phase === 'suspect' && (sequence ?? 0) >= state.sequence) clearSuspicion(connection, state)
  if (traffic.unansweredSince === undefined || sequence !== traffic.sequence) return false
  traffic.unansweredSince = undefined
  connection.answeredAt = now
  connection.roundTrip = smoothed(connection.roundTrip, now - traffic.pingedAt, traffic.pingCount)
  return true
}

function clearSuspicion(connection: MonitoredConnection, { traffic }: SuspectState): void {
  connection.state = { phase: 'open', traffic }
}

/** The first ping measures what the handshake has only estimated. */
function smoothed(before: number | undefined, measured: number, pingCount: number): number {
  return before === undefined || pingCount <= 2 ? measured : before + (measured - before) / 4
}

function newTraffic(now: number): Traffic {
  return {
    receivedAt: now,
    relayedAt: Number.NEGATIVE_INFINITY,
    pingCount: 0,
    sequence: 0,
    pingedAt: now,
    unansweredSince: undefined,
  }
}
