import { createKcp } from './kcp/kcp'
import type { MemoryBudget } from './kcp/memoryBudget'
import { createOutbox, type PacketBuffer } from './kcp/outbox'
import { kcpCommands } from './kcp/segments'
import { createKeepAlive } from './keepAlive'
import { nextPhase } from './nextPhase'
import { StreamError, type StreamErrorReason } from './streamError'
import type { StreamHandle } from './streamHandle'
import { streamFlags } from './streamPacket'
import { closed, isClosed, isGone, phaseDeadline, type StreamEvent, type StreamPhase } from './streamPhase'

export type StreamConnection = {
  readonly handle: StreamHandle
  /** Nothing more is sent, except replies to a side that missed the end. */
  readonly isOver: boolean
  /** May be forgotten. */
  isGone(now: number): boolean
  receive(flags: number, body: Uint8Array, now: number): void
  /** Breaks it without telling the other side. */
  abandon(reason: StreamErrorReason): void
  /** Sends what is due. */
  flush(now: number): void
  /** When to flush; in the past when there is something to do already, Infinity for never. */
  nextDeadline(): number
}

export type StreamConnectionOptions = {
  readonly peerId: number
  readonly conv: number
  readonly budget: MemoryBudget
  readonly now: number
  /** An accepted stream that stays without data for so long is one of several attempts of the same opener. */
  readonly idleLimit: number
  /** Holds one data packet at a time while a connection is flushed; shared by connections. */
  readonly buffer: PacketBuffer
  /** Sends a packet of KCP segments, with room for a stream header. It is valid only during the call. */
  readonly sendData: (packet: Uint8Array) => void
  /** Sends a packet without a body. */
  readonly sendFlags: (flags: number) => void
  /** Something is due at once that `nextDeadline` did not say before. */
  readonly wake: () => void
  /** Called when it is over. */
  readonly onOver: () => void
}

/** One stream once it is open: KCP, keep-alive and the end. @see docs/network/streams.md */
export function createStreamConnection(options: StreamConnectionOptions): StreamConnection {
  const { sendFlags, wake } = options
  const outbox = createOutbox(options.buffer, options.sendData)
  const kcp = createKcp(options.conv, options.budget)
  const keepAlive = createKeepAlive(options.now, options.idleLimit)
  let phase: StreamPhase = { kind: 'open', since: options.now }
  let error: StreamError | undefined
  let hasReceivedData = false
  let wasRefused = false
  let isDiscarding = false
  let listener = () => {}

  const discard = () => {
    isDiscarding = true
    kcp.discard()
  }
  const close = (next: StreamPhase, reason: StreamErrorReason | undefined, keepsData: boolean) => {
    phase = next
    error = reason && new StreamError(reason)
    if (!keepsData || isDiscarding) kcp.discard()
    kcp.discardWritten()
    options.onOver()
    listener()
  }
  const apply = (event: StreamEvent, now: number) => {
    const step = nextPhase(phase, event, now, kcp)
    if (!step) return
    if (step.send !== undefined) sendFlags(step.send)
    if (isClosed(phase) || !isClosed(step.phase)) phase = step.phase
    else {
      wasRefused = event === 'fin' && !hasReceivedData
      close(step.phase, step.error, step.keepsData ?? false)
    }
  }

  const onData = (body: Uint8Array, now: number) => {
    if (isClosed(phase)) {
      if (body[4] === kcpCommands.push) apply('traffic', now)
      return
    }
    kcp.input(body, now)
    hasReceivedData ||= kcp.readable > 0
    if (hasReceivedData) keepAlive.used()
    listener()
  }
  const onPing = (flags: number, now: number) => {
    if (flags & streamFlags.pong) return
    if (isClosed(phase)) apply('traffic', now)
    else sendFlags(streamFlags.ping | streamFlags.pong)
  }
  const checkAlive = (now: number) => {
    const due = keepAlive.check(now, kcp.stuckSince())
    if (due === 'ping') sendFlags(streamFlags.ping)
    else if (due !== undefined) apply(due, now)
  }

  const handle: StreamHandle = {
    peerId: options.peerId,
    get queued() {
      return kcp.queued
    },
    get readable() {
      return kcp.readable
    },
    get state() {
      if (isClosed(phase)) return 'closed'
      return phase.kind === 'ending' ? 'ending' : 'open'
    },
    get error() {
      return error
    },
    get wasRefused() {
      return wasRefused
    },
    roundTrip: kcp.roundTrip,
    read() {
      const bytes = kcp.read()
      if (bytes && !isClosed(phase) && kcp.nextDeadline() === 0) wake()
      return bytes
    },
    write(bytes) {
      if (phase.kind !== 'open' || bytes.length === 0) return
      keepAlive.used()
      kcp.write(bytes)
      wake()
    },
    end() {
      discard()
      apply('end', options.now)
      if (phase.kind === 'ending') kcp.askWhetherRead(true)
      wake()
      listener()
    },
    destroy() {
      discard()
      // The next flush sends the RST, also when the listener destroys the stream a second time meanwhile.
      apply('destroy', options.now)
      wake()
    },
    onChange(next) {
      listener = next
    },
  }

  return {
    handle,
    get isOver() {
      return isClosed(phase)
    },
    // Data that can still be read is held by the handle.
    isGone: (now) => isGone(phase, now),
    receive(flags, body, now) {
      keepAlive.received(now)
      if (flags & streamFlags.rst) return apply('rst', now)
      if (flags & streamFlags.ping) return onPing(flags, now)
      if (flags & streamFlags.data && body.length > 0) onData(body, now)
      if (flags & streamFlags.fin) apply('fin', now)
    },
    abandon(reason) {
      if (isClosed(phase)) phase = closed(0)
      else close(closed(0), reason, false)
    },
    flush(now) {
      if (!isClosed(phase)) checkAlive(now)
      apply('tick', now)
      if (isClosed(phase)) return
      const before = kcp.queued
      kcp.flush(now, outbox)
      if (kcp.queued < before) listener()
    },
    nextDeadline() {
      const deadline = phaseDeadline(phase, kcp)
      if (isClosed(phase) || deadline === 0) return deadline
      return Math.min(deadline, kcp.nextDeadline(), keepAlive.deadline(kcp.stuckSince()))
    },
  }
}
