import { streamFlags } from './streamPacket'
import {
  type ClosingReply,
  closed,
  type DeliveryState,
  LINGER,
  type PhaseEvent,
  READER_PATIENCE,
  REPEAT_FIN_AFTER,
  REPLY_INTERVAL,
  type StreamPhase,
  type StreamStep,
} from './streamPhase'

const PING_EVERY = 10_000
const DEAD_AFTER = 60_000

/** @returns undefined when the event changes nothing */
export function nextPhase(
  phase: StreamPhase,
  event: PhaseEvent,
  now: number,
  delivery: DeliveryState,
): StreamStep | undefined {
  switch (phase.kind) {
    case 'open':
      return event === 'end'
        ? { phase: { kind: 'ending', unreadSince: phase.since, peerWindow: -1 } }
        : closingStep(event, now, delivery)
    case 'ending':
      return event === 'tick' ? waitForReader(phase, now, delivery) : closingStep(event, now, delivery)
    case 'resetting':
      return stepOfResetting(phase, event, now)
    case 'finishing':
      return stepOfFinishing(phase, event, now)
    case 'closed':
      return stepOfClosed(phase, event, now)
  }
}

type PhaseOf<Kind extends StreamPhase['kind']> = StreamPhase & { readonly kind: Kind }

/** The ways out of `open` and `ending`. */
function closingStep(event: PhaseEvent, now: number, delivery: DeliveryState): StreamStep | undefined {
  switch (event) {
    case 'fin':
      return {
        phase: closedAfter(streamFlags.fin, 'fin', now),
        send: streamFlags.fin,
        error: delivery.hasGap() ? 'cut' : undefined,
        keepsData: true,
      }
    case 'rst':
      return { phase: closed(now), error: 'reset' }
    case 'dead':
      return { phase: closedAfter(streamFlags.rst, 'traffic', now), send: streamFlags.rst, error: 'dead' }
    case 'idle':
      return finish(now)
    case 'destroy':
      return { phase: { kind: 'resetting', hasPeerEnded: false }, error: 'closed' }
    default:
      return undefined
  }
}

/** FIN waits until the other side's application has read all, as far as its window tells. */
function waitForReader(
  phase: PhaseOf<'ending'>,
  now: number,
  { isDelivered, isRead, peerWindow }: DeliveryState,
): StreamStep | undefined {
  const isMoving = !isDelivered || peerWindow !== phase.peerWindow
  if (isRead || (!isMoving && now - phase.unreadSince >= READER_PATIENCE)) return finish(now)
  return isMoving ? { phase: { kind: 'ending', unreadSince: now, peerWindow } } : undefined
}

function stepOfResetting(
  { hasPeerEnded }: PhaseOf<'resetting'>,
  event: PhaseEvent,
  now: number,
): StreamStep | undefined {
  if (event === 'fin' || event === 'rst') return { phase: { kind: 'resetting', hasPeerEnded: true } }
  if (event !== 'tick') return undefined
  const phase: StreamPhase = hasPeerEnded
    ? closed(now + LINGER)
    : closedAfter(streamFlags.rst, 'traffic', now)
  return { phase, send: streamFlags.rst }
}

function stepOfFinishing(
  { sentAt, repeats }: PhaseOf<'finishing'>,
  event: PhaseEvent,
  now: number,
): StreamStep | undefined {
  switch (event) {
    case 'traffic':
      return now - sentAt < REPLY_INTERVAL ? undefined : finish(now, repeats)
    case 'tick': {
      const wait = REPEAT_FIN_AFTER[repeats]
      return wait === undefined || now < sentAt + wait ? undefined : finish(now, repeats + 1)
    }
    case 'fin':
      return { phase: closed(sentAt + LINGER) }
    case 'rst':
      return { phase: closed(now) }
    default:
      return undefined
  }
}

function stepOfClosed(
  { until, reply }: PhaseOf<'closed'>,
  event: PhaseEvent,
  now: number,
): StreamStep | undefined {
  if (event === 'rst') return { phase: closed(now) }
  if (!reply) return undefined
  if (event === reply.to) {
    if (now - reply.sentAt < REPLY_INTERVAL) return undefined
    return { phase: closedAfter(reply.flags, reply.to, now), send: reply.flags }
  }
  return event === 'fin' ? { phase: closed(until) } : undefined
}

function finish(now: number, repeats = 0): StreamStep {
  return { phase: { kind: 'finishing', sentAt: now, repeats }, send: streamFlags.fin }
}

function closedAfter(flags: number, to: ClosingReply['to'], now: number): StreamPhase {
  return { kind: 'closed', until: now + LINGER, reply: { to, flags, sentAt: now } }
}

/**
 * The liveness of one stream: pings, the other side's silence, and streams that are never used. Its findings `dead` and
 * `idle` are events for `nextPhase`.
 */
export class KeepAlive {
  #receivedAt: number
  #pingAt: number
  #idleAt: number

  /** @param idleLimit how long the stream may stay without data; Infinity for no limit */
  constructor(openedAt: number, idleLimit: number) {
    this.#receivedAt = openedAt
    this.#pingAt = openedAt + PING_EVERY
    this.#idleAt = openedAt + idleLimit
  }

  /** A packet has arrived. It was answered or acknowledged, so the other side has heard from us, too. */
  received(now: number): void {
    this.#receivedAt = now
    this.#pingAt = now + PING_EVERY
  }

  /** Data was written or has arrived: the stream is in use and never becomes idle. */
  used(): void {
    this.#idleAt = Number.POSITIVE_INFINITY
  }

  /**
   * Finds out whether the stream is dead or idle, or a ping is due, which then counts as sent.
   * @param stuckSince since when nothing was acknowledged though something is outstanding
   */
  check(now: number, stuckSince = now): 'dead' | 'idle' | 'ping' | undefined {
    if (now - Math.min(this.#receivedAt, stuckSince) >= DEAD_AFTER) return 'dead'
    if (now >= this.#idleAt) return 'idle'
    if (now < this.#pingAt) return undefined
    this.#pingAt = now + PING_EVERY
    return 'ping'
  }

  /** When to check next. */
  deadline(stuckSince = Number.POSITIVE_INFINITY): number {
    return Math.min(this.#pingAt, this.#receivedAt + DEAD_AFTER, stuckSince + DEAD_AFTER, this.#idleAt)
  }
}
