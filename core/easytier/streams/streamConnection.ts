import { Kcp } from './kcp/kcp'
import type { MemoryBudget } from './kcp/memoryBudget'
import { createOutbox, type Outbox, type PacketBuffer } from './kcp/outbox'
import type { PacketSize } from './kcp/packetSize'
import { kcpCommands, STREAM_HEADER_SIZE } from './kcp/segments'
import { KeepAlive, nextPhase } from './nextPhase'
import { StreamError, type StreamErrorReason } from './streamError'
import { streamFlags } from './streamPacket'
import { closed, isClosed, isGone, type PhaseEvent, phaseDeadline, type StreamPhase } from './streamPhase'

export type StreamConnectionOptions = {
  readonly peerId: number
  readonly conv: number
  readonly budget: MemoryBudget
  /** Of the packets that reach the peer, shared by all connections to it. */
  readonly size: PacketSize
  readonly now: number
  /** An accepted stream that stays without data for so long is one of several attempts of the same opener. */
  readonly idleLimit: number
  /** Holds one data packet at a time while a connection is flushed; shared by connections. */
  readonly buffer: PacketBuffer
  /** Sends a packet of KCP segments, with room for a stream header. It is valid only during the call. */
  readonly sendData: (packet: Uint8Array) => void
  /** Sends a packet without segments, and without a body where none is given. */
  readonly sendFlags: (flags: number, body?: Uint8Array) => void
  /** Something is due at once that `nextDeadline` did not say before. */
  readonly wake: () => void
  readonly onOver: () => void
}

/** One stream once it is open: KCP, keep-alive and the end. @see docs/network/streams.md */
export class StreamConnection {
  readonly #options: StreamConnectionOptions
  readonly #outbox: Outbox
  readonly #kcp: Kcp
  readonly #keepAlive: KeepAlive
  #phase: StreamPhase
  #error: StreamError | undefined
  #isHeard = false
  #hasReceivedData = false
  #isDiscarding = false
  #listener = () => {}

  constructor(options: StreamConnectionOptions) {
    this.#options = options
    this.#outbox = createOutbox(options.buffer, options.sendData, options.size)
    this.#kcp = new Kcp(options.conv, options.size, options.budget)
    this.#keepAlive = new KeepAlive(options.now, options.idleLimit)
    this.#phase = { kind: 'open', since: options.now }
  }

  get peerId(): number {
    return this.#options.peerId
  }

  /** Bytes that wait to be sent. */
  get queued(): number {
    return this.#kcp.sender.queued
  }

  /** Bytes that can be read. */
  get readable(): number {
    return this.#kcp.receiver.readable
  }

  /** `ending`: still delivering. `closed`: nothing is sent any more, but data that came before can be read. */
  get state(): 'open' | 'ending' | 'closed' {
    if (this.isOver) return 'closed'
    return this.#phase.kind === 'ending' ? 'ending' : 'open'
  }

  /** Why it broke; undefined while it has not, or was closed in order. */
  get error(): StreamError | undefined {
    return this.#error
  }

  /** The next bytes; undefined when there are none at the moment. They belong to the caller. */
  read(): Uint8Array | undefined {
    const bytes = this.#kcp.read()
    if (bytes && !this.isOver && this.#kcp.nextDeadline() === 0) this.#options.wake()
    return bytes
  }

  /** The bytes must not change afterwards. Ignored once the stream is closing. */
  write(bytes: Uint8Array): void {
    if (this.#phase.kind !== 'open' || bytes.length === 0) return
    this.#keepAlive.used()
    this.#kcp.write(bytes)
    this.#options.wake()
  }

  /** Closes once the other side has read all that was written. */
  end(): void {
    this.#discard()
    this.#apply('end', this.#options.now)
    if (this.#phase.kind === 'ending') this.#kcp.askWhetherRead(true)
    this.#options.wake()
    this.#listener()
  }

  /** Closes at once. */
  destroy(): void {
    this.#discard()
    // The next flush sends the RST, also when the listener destroys the stream a second time meanwhile.
    this.#apply('destroy', this.#options.now)
    this.#options.wake()
  }

  /** One listener, called after anything above may have changed. */
  onChange(listener: () => void): void {
    this.#listener = listener
  }

  /** Nothing more is sent, except replies to a side that missed the end. */
  get isOver(): boolean {
    return isClosed(this.#phase)
  }

  /** May be forgotten: data that can still be read is held by the handle. */
  isGone(now: number): boolean {
    return isGone(this.#phase, now)
  }

  receive(flags: number, body: Uint8Array, now: number): void {
    this.#keepAlive.received(now)
    this.#options.size.heard()
    this.#isHeard = true
    if (flags & streamFlags.rst) this.#apply('rst', now)
    else if (flags & streamFlags.ping) this.#onPing(flags, now)
    else {
      if (flags & streamFlags.data && body.length > 0) this.#onData(body, now)
      if (flags & streamFlags.fin) this.#apply('fin', now)
    }
  }

  /** Breaks it without telling the other side. */
  abandon(reason: StreamErrorReason): void {
    if (this.isOver) this.#phase = closed(0)
    else this.#close(closed(0), reason, false)
  }

  flush(now: number): void {
    if (!this.isOver) this.#checkAlive(now)
    this.#apply('tick', now)
    if (this.isOver) return
    this.#probeSize(now)
    const before = this.#kcp.sender.queued
    this.#kcp.flush(now, this.#outbox)
    if (this.#kcp.sender.queued < before) this.#listener()
  }

  /** When to flush; in the past when there is something to do already, Infinity for never. */
  nextDeadline(): number {
    const deadline = phaseDeadline(this.#phase, this.#kcp)
    if (this.isOver || deadline === 0) return deadline
    return Math.min(
      deadline,
      this.#kcp.nextDeadline(),
      this.#isHeard ? this.#options.size.nextProbeAt : Number.POSITIVE_INFINITY,
      this.#keepAlive.deadline(this.#kcp.sender.stuckSince()),
    )
  }

  #discard(): void {
    this.#isDiscarding = true
    this.#kcp.receiver.discard()
  }

  #close(next: StreamPhase, reason: StreamErrorReason | undefined, keepsData: boolean): void {
    this.#phase = next
    this.#error = reason && new StreamError(reason)
    if (!keepsData || this.#isDiscarding) this.#kcp.receiver.discard()
    this.#kcp.parts.clear()
    this.#kcp.sender.discard()
    this.#options.onOver()
    this.#listener()
  }

  #apply(event: PhaseEvent, now: number): void {
    const step = nextPhase(this.#phase, event, now, this.#kcp)
    if (!step) return
    if (step.send !== undefined) this.#options.sendFlags(step.send)
    if (this.isOver || !isClosed(step.phase)) this.#phase = step.phase
    else this.#close(step.phase, step.error, step.keepsData ?? false)
  }

  #onData(body: Uint8Array, now: number): void {
    if (this.isOver) {
      if (body[4] === kcpCommands.push) this.#apply('traffic', now)
      return
    }
    this.#kcp.input(body, now)
    this.#hasReceivedData ||= this.#kcp.receiver.readable > 0
    if (this.#hasReceivedData) this.#keepAlive.used()
    this.#listener()
  }

  #onPing(flags: number, now: number): void {
    if (flags & streamFlags.pong) this.#options.size.answered()
    else if (this.isOver) this.#apply('traffic', now)
    else this.#options.sendFlags(streamFlags.ping | streamFlags.pong)
  }

  /** The answer to a ping is small: it tells what arrives there, and not here. */
  #probeSize(now: number): void {
    // Before the other side has seen that the stream is open, it answers a ping by a reset.
    const payload = this.#isHeard ? this.#options.size.probe(now) : undefined
    if (payload === undefined) return
    this.#options.sendFlags(streamFlags.ping, new Uint8Array(payload - STREAM_HEADER_SIZE))
  }

  #checkAlive(now: number): void {
    const due = this.#keepAlive.check(now, this.#kcp.sender.stuckSince())
    if (due === 'ping') {
      this.#options.size.pinged(now)
      this.#options.sendFlags(streamFlags.ping)
    } else if (due !== undefined) this.#apply(due, now)
  }
}
