import { distance } from '../kcp/segments'
import { StreamError } from '../streamError'
import type { StreamHandle } from '../streamHandle'
import { createTcpReceiver, TCP_WINDOW } from './tcpReceiver'
import { type TcpSegment, tcpFlags } from './tcpSegment'
import { createTcpSender } from './tcpSender'

/** As a stream of the overlay, for `createByteStream`. */
export type TcpHandle = Omit<StreamHandle, 'wasRefused' | 'roundTrip'> & {
  /** The other side has closed; what is written here still reaches it. */
  readonly hasEnded: boolean
}

export type TcpConnection = {
  readonly handle: TcpHandle
  readonly isOpen: boolean
  isGone(now: number): boolean
  receive(segment: TcpSegment, now: number): void
  tick(now: number): void
  nextDeadline(): number
  /** Breaks it without a word. */
  abandon(error: StreamError): void
}

export type TcpConnectionOptions = {
  readonly peerId: number
  /** The other side's SYN. */
  readonly syn: TcpSegment
  /** Our first sequence number. */
  readonly first: number
  readonly now: number
  /** Without the ports, which the owner knows. */
  readonly send: (segment: Omit<TcpSegment, 'sourcePort' | 'targetPort'>) => void
  readonly onOpen: (handle: TcpHandle) => void
  readonly wake: () => void
}

/** What real acceptors answer: a packet fits every transport with it. */
export const TCP_SEGMENT_DATA = 1240
const LEAST_SEGMENT_DATA = 64
const WINDOW_SCALE = 3
const OPEN_WITHIN = 10_000
const SYN_AGAIN_AFTER = 500
const PROBE_AFTER = 60_000
const PROBE_EVERY = 10_000
const DEAD_AFTER = 120_000
const MOST_TRIES = 15
/** For the other side's FIN after ours, and for its repetitions after that. */
const LINGER = 10_000

/** The passive side of one connection. @see RFC 9293 */
export function createTcpConnection(options: TcpConnectionOptions): TcpConnection {
  const { syn, first, send, wake } = options
  const isScaled = syn.windowScale !== undefined
  const offered = syn.maxSegment ?? 536
  const segmentSize = Math.max(LEAST_SEGMENT_DATA, Math.min(TCP_SEGMENT_DATA, offered))
  const receiver = createTcpReceiver((syn.sequence + 1) >>> 0)
  const sender = createTcpSender((first + 1) >>> 0, syn.window, segmentSize)
  let phase: 'syn' | 'open' | 'over' = 'syn'
  let state: StreamHandle['state'] = 'open'
  let error: StreamError | undefined
  let listener = () => {}
  let mustAck = false
  let mustSend = false
  let mustReset = false
  let toldWindow = TCP_WINDOW
  let seenAt = options.now
  let probeAt = options.now + PROBE_AFTER
  let synAt = Number.NEGATIVE_INFINITY
  let isReading = true
  let goneAt = Number.POSITIVE_INFINITY

  const emit = (flags: number, sequence: number, data: Uint8Array = NOTHING) => {
    toldWindow = receiver.window
    mustAck = false
    const window = Math.min(0xffff, isScaled ? toldWindow >> WINDOW_SCALE : toldWindow)
    send({ sequence, acknowledged: receiver.next, flags: flags | tcpFlags.ack, window, data })
  }
  const emitSyn = (now: number) => {
    synAt = now
    send({
      sequence: first,
      acknowledged: receiver.next,
      flags: tcpFlags.syn | tcpFlags.ack,
      // Never scaled in a SYN.
      window: Math.min(0xffff, receiver.window),
      maxSegment: TCP_SEGMENT_DATA,
      windowScale: isScaled ? WINDOW_SCALE : undefined,
      data: NOTHING,
    })
  }
  const close = (reason?: StreamError) => {
    state = 'closed'
    error = reason
    if (reason) phase = 'over'
    if (reason || !isReading) receiver.discard()
    listener()
  }
  const reset = (reason: StreamError, now: number) => {
    emit(tcpFlags.rst, sender.next)
    goneAt = now
    close(reason)
  }

  const onReset = ({ sequence }: TcpSegment, now: number) => {
    // Only the next one expected is proof that the sender knows the connection.
    const ahead = distance(sequence, receiver.next)
    if (ahead < 0 || ahead > TCP_WINDOW) return
    goneAt = now
    if (state !== 'closed') close(new StreamError('reset'))
  }
  const onData = ({ sequence, data, flags }: TcpSegment) => {
    const isFin = (flags & tcpFlags.fin) !== 0
    if (data.length === 0 && !isFin) {
      // A probe carries nothing, but a number from before: it wants an answer.
      if (distance(sequence, receiver.next) < 0) mustAck = true
      return
    }
    const isNext = receiver.take(sequence, data, isFin)
    // The sender counts repetitions to find a gap: each must leave.
    if (!isNext || receiver.hasGap) emit(0, sender.next)
    else mustAck = true
  }
  const whenDone = (now: number) => {
    if (sender.isFinished && state === 'ending') close()
    if (state === 'closed' && sender.isFinished) {
      if (receiver.hasEnded) goneAt = Math.min(goneAt, now + LINGER / 10)
      else if (goneAt === Number.POSITIVE_INFINITY) goneAt = now + LINGER
    }
  }

  const handle: TcpHandle = {
    peerId: options.peerId,
    get queued() {
      return sender.queued
    },
    get readable() {
      return receiver.readable
    },
    get state() {
      return state
    },
    get error() {
      return error
    },
    get hasEnded() {
      return receiver.hasEnded
    },
    read() {
      const bytes = receiver.read()
      // Tells that there is room again, not at each byte.
      if (bytes && phase === 'open' && receiver.window - toldWindow >= TCP_WINDOW / 4) {
        mustAck = true
        wake()
      }
      return bytes
    },
    write(bytes) {
      if (state !== 'open' || bytes.length === 0) return
      sender.write(bytes)
      mustSend = true
      wake()
    },
    end() {
      isReading = false
      receiver.discard()
      if (state === 'open') {
        state = 'ending'
        sender.finish()
        mustSend = true
      }
      wake()
      listener()
    },
    destroy() {
      isReading = false
      receiver.discard()
      mustReset ||= state !== 'closed'
      if (state !== 'closed') close(new StreamError('closed'))
      wake()
    },
    onChange(next) {
      listener = next
    },
  }

  return {
    handle,
    get isOpen() {
      return phase === 'open' && state !== 'closed'
    },
    isGone: (now) => now >= goneAt,
    receive(segment, now) {
      seenAt = now
      probeAt = now + PROBE_AFTER
      const { flags, acknowledged } = segment
      if (flags & tcpFlags.rst) return onReset(segment, now)
      if (flags & tcpFlags.syn) {
        if (phase === 'syn') emitSyn(now)
        return
      }
      if (!(flags & tcpFlags.ack) || phase === 'over') return
      if (phase === 'syn') {
        if (acknowledged !== (first + 1) >>> 0) return
        phase = 'open'
        options.onOpen(handle)
      }
      const window = segment.window << (isScaled ? (syn.windowScale ?? 0) : 0)
      sender.acknowledge(acknowledged, window, segment.data.length === 0 && !(flags & tcpFlags.fin), now)
      onData(segment)
      whenDone(now)
      // What came may have made room to send.
      mustSend = true
      listener()
    },
    tick(now) {
      if (mustReset) {
        mustReset = false
        return reset(error ?? new StreamError('closed'), now)
      }
      if (phase === 'over') return
      if (phase === 'syn') {
        if (now >= options.now + OPEN_WITHIN) goneAt = now
        else if (now >= synAt + SYN_AGAIN_AFTER) emitSyn(now)
        return
      }
      if (state !== 'closed' && (now - seenAt >= DEAD_AFTER || sender.tries > MOST_TRIES)) {
        return reset(new StreamError('dead'), now)
      }
      mustSend = false
      const before = sender.queued
      sender.flush(now, (sequence, data, isFin) => emit(isFin ? tcpFlags.fin : tcpFlags.psh, sequence, data))
      if (sender.queued < before) listener()
      if (now >= probeAt) {
        probeAt = now + PROBE_EVERY
        emit(0, (sender.next - 1) >>> 0)
      }
      if (mustAck) emit(0, sender.next)
    },
    nextDeadline() {
      if (mustReset) return 0
      if (phase === 'over') return goneAt
      if (phase === 'syn') return Math.min(synAt + SYN_AGAIN_AFTER, options.now + OPEN_WITHIN, goneAt)
      if (mustAck || mustSend) return 0
      const dead = state === 'closed' ? Number.POSITIVE_INFINITY : seenAt + DEAD_AFTER
      return Math.min(sender.nextDeadline(), probeAt, dead, goneAt)
    },
    abandon(reason) {
      goneAt = 0
      if (state !== 'closed') close(reason)
    },
  }
}

const NOTHING: Uint8Array = new Uint8Array(0)
