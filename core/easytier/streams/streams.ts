import { packetTypes } from '../wire/packet'
import { createMemoryBudget } from './kcp/memoryBudget'
import { createOutbox } from './kcp/outbox'
import { createOpenAttempts, type OpenAttempts } from './openAttempts'
import { createStreamConnection, type StreamConnection, type StreamHandle } from './streamConnection'
import { StreamError } from './streamError'
import {
  decodeStreamPacket,
  decodeStreamRoute,
  type Endpoint,
  encodeStreamPacket,
  encodeStreamRoute,
  STREAM_HEADER_SIZE,
  type StreamPacket,
  type StreamRoute,
  streamFlags,
  writeStreamHeader,
} from './streamPacket'

/** All streams of a peer. No timers: whoever owns it calls `tick` at `nextDeadline()`, and soon after `wake`. */
export type Streams = {
  /**
   * A packet of type 11 or 12. Call `tick` after the last one at hand: answers to several share packets.
   * @param payload must not change afterwards
   * @param fromPeer who sent it, as far as is proved
   */
  receive(type: number, payload: Uint8Array, fromPeer: number, now: number): void
  open(peerId: number, route: StreamRoute, now: number): Opening
  tick(now: number): void
  /** When to call `tick`; in the past when there is something to do already, Infinity for never. */
  nextDeadline(): number
  /** The peer is gone for good (another run of it, too): breaks its streams without a word. */
  forgetPeer(peerId: number): void
  /** Breaks all streams, telling the peers. */
  close(): void
  /** Streams that are open or being opened. */
  readonly count: number
}

export type Opening = {
  /** @throws StreamError when refused, not answered in 10 s, or cancelled */
  readonly opened: Promise<StreamHandle>
  cancel(): void
}

export type StreamsOptions = {
  readonly ownId: number
  /** The payload is lent: it holds only during the call. */
  readonly send: (peerId: number, packetType: number, payload: Uint8Array) => void
  /** Whether a member may have a stream to this address and port. */
  readonly accepts: (destination: Endpoint, peerId: number) => boolean
  readonly onStream: (stream: StreamHandle, destination: Endpoint) => void
  /** A number below 2^32 to start conversations from. */
  readonly random32: () => number
  /** Something is to be done that `nextDeadline` did not say before. */
  readonly wake: () => void
  /** A stream was refused because there are too many. */
  readonly onRefused?: () => void
  readonly limits?: Partial<StreamLimits>
}

export type StreamLimits = {
  /** Of all peers, both ways. */
  readonly streams: number
  /** Received bytes that nobody has read yet, of all streams together. */
  readonly heldBytes: number
  /** An accepted stream may stay so long without data. */
  readonly idleMs: number
}

export const STREAM_LIMITS: StreamLimits = { streams: 256, heldBytes: 64 * 1024 * 1024, idleMs: 30_000 }

/** Ends that are remembered for a moment. */
const MOST_CLOSED = 1024
const HALF_OPEN_FOR = 10_000
const FLAGS_OF_STATE = 31

type Triple = Omit<StreamPacket, 'body' | 'flags'> & { readonly peerId: number; readonly type: number }
type Entry =
  | {
      readonly kind: 'attempt'
      readonly triple: Triple
      readonly attempts: OpenAttempts
      readonly open: (now: number) => void
    }
  | {
      readonly kind: 'half'
      readonly triple: Triple
      readonly route: StreamRoute | undefined
      readonly until: number
    }
  | { readonly kind: 'connection'; readonly triple: Triple; readonly connection: StreamConnection }

/** @see docs/network/streams.md */
export function createStreams(options: StreamsOptions): Streams {
  const { ownId, send, wake } = options
  const limits = { ...STREAM_LIMITS, ...options.limits }
  const budget = createMemoryBudget(limits.heldBytes)
  const entries = createEntries()
  const openings = new Set<OpenAttempts>()
  let conv = options.random32() >>> 0
  let flushing: Triple | undefined

  const outbox = createOutbox(STREAM_HEADER_SIZE, (packet) => {
    if (flushing) send(flushing.peerId, flushing.type, packet)
  })
  const sendFlags = (triple: Triple, flags: number, body = NOTHING) =>
    send(triple.peerId, triple.type, encodeStreamPacket({ ...triple, flags, body }))

  const count = () => {
    let open = openings.size
    for (const entry of entries.all()) {
      if (entry.kind === 'half' || (entry.kind === 'connection' && !entry.connection.isOver)) open += 1
    }
    return open
  }
  const connect = (triple: Triple, idleLimit: number, now: number): StreamConnection => {
    const connection = createStreamConnection({
      peerId: triple.peerId,
      conv: triple.conv,
      budget,
      now,
      idleLimit,
      sendFlags: (flags) => sendFlags(triple, flags),
      wake,
    })
    entries.set({ kind: 'connection', triple, connection })
    return connection
  }

  const onSyn = (triple: Triple, body: Uint8Array, now: number) => {
    if (count() >= limits.streams) {
      options.onRefused?.()
      return sendFlags(triple, streamFlags.rst)
    }
    const route = decodeStreamRoute(body)
    entries.set({ kind: 'half', triple, route, until: now + HALF_OPEN_FOR })
    sendFlags(triple, streamFlags.syn | streamFlags.ack)
  }
  const onUnknown = (triple: Triple, { flags, body }: StreamPacket, now: number) => {
    const isToUs = triple.type === packetTypes.kcpDestination
    if (isToUs && (flags & FLAGS_OF_STATE) === streamFlags.syn) onSyn(triple, body, now)
    else if ((flags & (streamFlags.rst | streamFlags.pong)) === 0) sendFlags(triple, streamFlags.rst)
  }
  /** A refusal is a FIN, as real peers do it: an RST in the same instant as the SYN|ACK would not be understood. */
  const onAccepted = (triple: Triple, route: StreamRoute | undefined, now: number): StreamConnection => {
    const connection = connect(triple, limits.idleMs, now)
    if (route && options.accepts(route.destination, triple.peerId)) {
      options.onStream(connection.handle, route.destination)
    } else connection.handle.end()
    return connection
  }
  const onHalf = (entry: Entry & { kind: 'half' }, { flags, body }: StreamPacket, now: number) => {
    const five = flags & FLAGS_OF_STATE
    if (five === streamFlags.syn) return sendFlags(entry.triple, streamFlags.syn | streamFlags.ack)
    if (flags & (streamFlags.fin | streamFlags.rst)) {
      entries.delete(entry.triple)
      if (flags & streamFlags.fin) sendFlags(entry.triple, streamFlags.fin)
    } else if (five === (streamFlags.ack | streamFlags.data)) {
      onAccepted(entry.triple, entry.route, now).receive(flags, body, now)
    }
  }
  const onAttempt = (entry: Entry & { kind: 'attempt' }, { flags }: StreamPacket, now: number) => {
    if (flags & streamFlags.rst) return entry.attempts.refused(entry.triple.conv)
    if ((flags & FLAGS_OF_STATE) === (streamFlags.syn | streamFlags.ack)) entry.open(now)
  }

  const dropGone = (now: number) => {
    let closed = 0
    for (const entry of entries.all()) {
      if (entry.kind === 'half' && now >= entry.until) entries.delete(entry.triple)
      if (entry.kind !== 'connection' || !entry.connection.isOver) continue
      closed += 1
      if (entry.connection.isGone(now)) entries.delete(entry.triple)
    }
    for (const entry of entries.all()) {
      if (closed <= MOST_CLOSED) return
      if (entry.kind !== 'connection' || !entry.connection.isOver) continue
      entries.delete(entry.triple)
      closed -= 1
    }
  }

  return {
    receive(type, payload, fromPeer, now) {
      const packet = decodeStreamPacket(payload)
      const triple = packet && tripleOf(packet, type, fromPeer, ownId)
      if (!packet || !triple) return
      const entry = entries.get(triple)
      if (!entry) onUnknown(triple, packet, now)
      else if (entry.kind === 'connection') entry.connection.receive(packet.flags, packet.body, now)
      else if (entry.kind === 'half') onHalf(entry, packet, now)
      else onAttempt(entry, packet, now)
    },
    open(peerId, route, now) {
      const { promise, resolve, reject } = deferred<StreamHandle>()
      const body = encodeStreamRoute(route)
      const tripleFor = (number: number): Triple => ({
        conv: number,
        source: ownId,
        destination: peerId,
        peerId,
        type: packetTypes.kcpSource,
      })
      const attempts = createOpenAttempts({
        peerId,
        now,
        newConv() {
          do conv = (conv + 1) >>> 0
          while (entries.get(tripleFor(conv)))
          const triple = tripleFor(conv)
          const open = (at: number) => {
            attempts.answered(triple.conv)
            openings.delete(attempts)
            sendFlags(triple, streamFlags.ack | streamFlags.data)
            resolve(connect(triple, Number.POSITIVE_INFINITY, at).handle)
          }
          entries.set({ kind: 'attempt', triple, attempts, open })
          return conv
        },
        send: (number, flags) =>
          sendFlags(tripleFor(number), flags, flags === streamFlags.syn ? body : NOTHING),
        forget: (number) => void entries.delete(tripleFor(number)),
        onFail(error) {
          openings.delete(attempts)
          reject(error)
        },
      })
      if (count() >= limits.streams) {
        options.onRefused?.()
        attempts.fail(new StreamError('too-many'))
      } else {
        openings.add(attempts)
        attempts.tick(now)
      }
      return { opened: promise, cancel: () => attempts.fail(new StreamError('cancelled')) }
    },
    tick(now) {
      for (const attempts of openings) attempts.tick(now)
      for (const entry of entries.all()) {
        if (entry.kind !== 'connection' || entry.connection.nextDeadline() > now) continue
        flushing = entry.triple
        writeStreamHeader(outbox.headroom, { ...flushing, flags: streamFlags.ack | streamFlags.data })
        entry.connection.tick(now, outbox)
      }
      flushing = undefined
      dropGone(now)
    },
    nextDeadline() {
      let deadline = Number.POSITIVE_INFINITY
      for (const attempts of openings) deadline = Math.min(deadline, attempts.nextDeadline())
      for (const entry of entries.all()) {
        if (entry.kind === 'connection') deadline = Math.min(deadline, entry.connection.nextDeadline())
        else if (entry.kind === 'half') deadline = Math.min(deadline, entry.until)
      }
      return deadline
    },
    forgetPeer(peerId) {
      for (const attempts of openings) {
        if (attempts.peerId === peerId) attempts.fail(new StreamError('unanswered'))
      }
      for (const entry of entries.all()) {
        if (entry.triple.peerId !== peerId) continue
        entries.delete(entry.triple)
        if (entry.kind === 'connection') entry.connection.abandon(new StreamError('dead'))
      }
    },
    close() {
      for (const attempts of openings) attempts.fail(new StreamError('cancelled'))
      for (const entry of entries.all()) {
        entries.delete(entry.triple)
        if (entry.kind === 'attempt' || (entry.kind === 'connection' && entry.connection.isOver)) continue
        sendFlags(entry.triple, streamFlags.rst)
        if (entry.kind === 'connection') entry.connection.abandon(new StreamError('closed'))
      }
    },
    get count() {
      return count()
    },
  }
}

/** The way back: what came as source goes out as destination. Undefined when the packet is not for us, or not from whom it says. */
function tripleOf(packet: StreamPacket, type: number, fromPeer: number, ownId: number): Triple | undefined {
  const { conv, source, destination } = packet
  if (type === packetTypes.kcpSource && source === fromPeer && destination === ownId) {
    return { conv, source, destination, peerId: fromPeer, type: packetTypes.kcpDestination }
  }
  if (type === packetTypes.kcpDestination && destination === fromPeer && source === ownId) {
    return { conv, source, destination, peerId: fromPeer, type: packetTypes.kcpSource }
  }
  return undefined
}

/** All by their triple, in the order of their beginning. Packets come in runs, so the last one that was asked for is at hand. */
function createEntries() {
  const entries = new Map<string, Entry>()
  let last: Entry | undefined
  return {
    all: () => entries.values(),
    get(triple: Triple): Entry | undefined {
      if (!last || !isSame(last.triple, triple)) last = entries.get(keyOf(triple))
      return last
    },
    set(entry: Entry): void {
      last = undefined
      entries.set(keyOf(entry.triple), entry)
    },
    delete(triple: Triple): void {
      last = undefined
      entries.delete(keyOf(triple))
    },
  }
}

function isSame(one: Triple, other: Triple): boolean {
  return one.conv === other.conv && one.peerId === other.peerId && one.type === other.type
}

/** Both sides may open streams with the same number: the direction belongs to the key. */
function keyOf({ type, peerId, conv }: Triple): string {
  return `${type} ${peerId} ${conv}`
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((settle, fail) => {
    resolve = settle
    reject = fail
  })
  return { promise, resolve, reject }
}

const NOTHING: Uint8Array = new Uint8Array(0)
