import type { Kcp } from './kcp/kcp'
import type { StreamErrorReason } from './streamError'

/**
 * The phases of a stream from its opening to its end. Times are milliseconds that never jump back.
 * @see docs/network/streams.md
 */
export type StreamPhase =
  | { readonly kind: 'open'; readonly since: number }
  /** The application has ended it; the rest is being delivered, and the other side's reader has time to read it. */
  | {
      readonly kind: 'ending'
      /** Since when all is delivered and the other side's window, its sign of reading, has not changed. */
      readonly unreadSince: number
      readonly peerWindow: number
    }
  /** The application has destroyed it; the next tick sends RST. */
  | { readonly kind: 'resetting'; readonly hasPeerEnded: boolean }
  /** We sent FIN first and wait for the other side's. */
  | { readonly kind: 'finishing'; readonly sentAt: number; readonly repeats: number }
  /** Over on both sides, as far as we know. Remembered until `until`, to answer a side that missed the end. */
  | { readonly kind: 'closed'; readonly until: number; readonly reply: ClosingReply | undefined }

/** A packet that is repeated when the other side shows that it has missed it. */
export type ClosingReply = {
  /** `traffic`: to data and pings. `fin`: to another FIN. */
  readonly to: 'traffic' | 'fin'
  readonly flags: number
  readonly sentAt: number
}

export type PhaseEvent =
  /** Data or a ping on a stream that has ended here. */
  | 'traffic'
  | 'fin'
  | 'rst'
  /** Calls of the application. */
  | 'end'
  | 'destroy'
  /** The other side has been silent for too long. */
  | 'dead'
  /** An accepted stream has had no data for too long. */
  | 'idle'
  | 'tick'

export type StreamStep = {
  readonly phase: StreamPhase
  /** Flags of a packet to be sent; undefined for none. */
  readonly send?: number
  /** Why the stream broke, when this step closes it other than in order. */
  readonly error?: StreamErrorReason | undefined
  /** Whether bytes that have arrived can still be read after this step. */
  readonly keepsData?: boolean
}

/** The state of the data, on which a step depends. */
export type DeliveryState = Pick<Kcp, 'isDelivered' | 'isRead' | 'peerWindow' | 'hasGap'>

/** An unread stream that ends is given up when its reader has fetched nothing for this long. */
export const READER_PATIENCE = 30_000
/** FIN is one packet and may be lost; without an answer it is repeated. */
export const REPEAT_FIN_AFTER = [250, 500, 1000]
export const REPLY_INTERVAL = 200
/** Longer than the interval of the other side's pings, so that a side that missed the end is answered. */
export const LINGER = 15_000

/** Closed here: nothing can be written any more. */
export function isClosed({ kind }: StreamPhase): boolean {
  return kind !== 'open' && kind !== 'ending'
}

/** The stream may be forgotten. */
export function isGone(phase: StreamPhase, now: number): boolean {
  if (phase.kind === 'closed') return now >= phase.until
  return phase.kind === 'finishing' && now >= phase.sentAt + LINGER
}

/** Without a reply to anything. */
export function closed(until: number): StreamPhase {
  return { kind: 'closed', until, reply: undefined }
}

/** When the phase needs a tick; Infinity for never. */
export function phaseDeadline(phase: StreamPhase, delivery: DeliveryState): number {
  switch (phase.kind) {
    case 'open':
      return Number.POSITIVE_INFINITY
    case 'ending':
      if (delivery.isRead) return 0
      return delivery.isDelivered ? phase.unreadSince + READER_PATIENCE : Number.POSITIVE_INFINITY
    case 'resetting':
      return 0
    case 'finishing':
      return phase.sentAt + (REPEAT_FIN_AFTER[phase.repeats] ?? LINGER)
    case 'closed':
      return phase.until
  }
}
