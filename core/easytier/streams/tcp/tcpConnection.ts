// Frozen (D71): raw TCP serves only peers that open streams without KCP. Change it for compatibility with them only.
import { StreamError } from '../streamError'
import type { StreamHandle } from '../streamHandle'
import type { OutgoingTcpSegment } from './tcpOutput'
import { type TcpSegment, tcpFlags } from './tcpSegment'
import { createTcpTransfer } from './tcpTransfer'

/** For `createByteStream`. */
export type TcpHandle = Omit<StreamHandle, 'wasRefused' | 'roundTrip'> & {
  /** The other side has closed; data written here still reaches it. */
  readonly hasEnded: boolean
}

export type TcpConnection = {
  readonly handle: TcpHandle
  isGone(now: number): boolean
  receive(segment: TcpSegment, now: number): void
  tick(now: number): void
  nextDeadline(): number
  /** Breaks it without telling the other side. */
  abandon(error: StreamError): void
}

export type TcpConnectionOptions = {
  readonly peerId: number
  /** The other side's SYN. */
  readonly syn: TcpSegment
  /** Our first sequence number. */
  readonly first: number
  readonly now: number
  readonly send: (segment: OutgoingTcpSegment) => void
  readonly onOpen: (handle: TcpHandle) => void
  readonly wake: () => void
}

const OPEN_WITHIN = 10_000
const SYN_AGAIN_AFTER = 500
const PROBE_AFTER = 60_000
const PROBE_EVERY = 10_000
const DEAD_AFTER = 120_000
const MAX_TRIES = 15
/** For the other side's FIN after ours, and for its repetitions after that. */
const LINGER = 10_000

/** The passive side of one connection. @see RFC 9293 */
export function createTcpConnection(options: TcpConnectionOptions): TcpConnection {
  const { first, wake } = options
  const transfer = createTcpTransfer(options.syn, first, options.send)
  let phase: 'syn' | 'open' | 'over' = 'syn'
  let state: StreamHandle['state'] = 'open'
  let error: StreamError | undefined
  let listener = () => {}
  let mustReset = false
  let seenAt = options.now
  let probeAt = options.now + PROBE_AFTER
  let synAt = Number.NEGATIVE_INFINITY
  let isReading = true
  let goneAt = Number.POSITIVE_INFINITY

  const close = (reason?: StreamError) => {
    state = 'closed'
    error = reason
    if (reason) phase = 'over'
    if (reason || !isReading) transfer.discard()
    listener()
  }
  const stopReading = () => {
    isReading = false
    transfer.discard()
  }
  const reset = (reason: StreamError, now: number) => {
    transfer.sendReset()
    goneAt = now
    close(reason)
  }

  const onReset = ({ sequence }: TcpSegment, now: number) => {
    // Only a number within the window proves that the sender knows the connection.
    if (!transfer.isInWindow(sequence)) return
    goneAt = now
    if (state !== 'closed') close(new StreamError('reset'))
  }
  const onSyn = (now: number) => {
    if (phase !== 'syn') return
    synAt = now
    transfer.sendSyn()
  }
  const checkDone = (now: number) => {
    if (!transfer.isFinished) return
    if (state === 'ending') close()
    if (state !== 'closed') return
    goneAt = Math.min(goneAt, now + (transfer.hasEnded ? LINGER / 10 : LINGER))
  }
  const onAcknowledgement = (segment: TcpSegment, now: number) => {
    if (phase === 'syn') {
      if (segment.acknowledged !== (first + 1) >>> 0) return
      phase = 'open'
      options.onOpen(handle)
    }
    transfer.receive(segment, now)
    checkDone(now)
    listener()
  }

  const tickOpening = (now: number) => {
    if (now >= options.now + OPEN_WITHIN) goneAt = now
    else if (now >= synAt + SYN_AGAIN_AFTER) onSyn(now)
  }
  const isDead = (now: number) =>
    state !== 'closed' && (now - seenAt >= DEAD_AFTER || transfer.tries > MAX_TRIES)
  const flush = (now: number) => {
    const isProbing = now >= probeAt
    if (isProbing) probeAt = now + PROBE_EVERY
    if (transfer.flush(now, isProbing)) listener()
  }

  const handle: TcpHandle = {
    peerId: options.peerId,
    get queued() {
      return transfer.queued
    },
    get readable() {
      return transfer.readable
    },
    get state() {
      return state
    },
    get error() {
      return error
    },
    get hasEnded() {
      return transfer.hasEnded
    },
    read() {
      const bytes = transfer.read()
      if (bytes && phase === 'open' && transfer.isUrgent) wake()
      return bytes
    },
    write(bytes) {
      if (state !== 'open' || bytes.length === 0) return
      transfer.write(bytes)
      wake()
    },
    end() {
      stopReading()
      if (state === 'open') {
        state = 'ending'
        transfer.finish()
      }
      wake()
      listener()
    },
    destroy() {
      stopReading()
      if (state !== 'closed') {
        mustReset = true
        close(new StreamError('closed'))
      }
      wake()
    },
    onChange(next) {
      listener = next
    },
  }

  return {
    handle,
    isGone: (now) => now >= goneAt,
    receive(segment, now) {
      seenAt = now
      probeAt = now + PROBE_AFTER
      const { flags } = segment
      if (flags & tcpFlags.rst) onReset(segment, now)
      else if (flags & tcpFlags.syn) onSyn(now)
      else if (flags & tcpFlags.ack && phase !== 'over') onAcknowledgement(segment, now)
    },
    tick(now) {
      if (mustReset) {
        mustReset = false
        return reset(error ?? new StreamError('closed'), now)
      }
      if (phase === 'over') return
      if (phase === 'syn') return tickOpening(now)
      if (isDead(now)) reset(new StreamError('dead'), now)
      else flush(now)
    },
    nextDeadline() {
      if (mustReset) return 0
      if (phase === 'over') return goneAt
      if (phase === 'syn') return Math.min(synAt + SYN_AGAIN_AFTER, options.now + OPEN_WITHIN, goneAt)
      if (transfer.isUrgent) return 0
      const dead = state === 'closed' ? Number.POSITIVE_INFINITY : seenAt + DEAD_AFTER
      return Math.min(transfer.nextDeadline(), probeAt, dead, goneAt)
    },
    abandon(reason) {
      goneAt = 0
      if (state !== 'closed') close(reason)
    },
  }
}
