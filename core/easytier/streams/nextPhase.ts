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
