import { createKcp } from './kcp/kcp'
import type { MemoryBudget } from './kcp/memoryBudget'
import type { Outbox } from './kcp/outbox'
import { kcpCommands } from './kcp/segments'
import { StreamError } from './streamError'
import { streamFlags } from './streamPacket'

/** A stream as its owner sees it, without waiting: `createByteStream` makes a ByteStream of it. */
export type StreamHandle = {
  readonly peerId: number
  /** Bytes that wait to be sent. */
  readonly queued: number
  /** The next bytes; undefined when there are none at the moment. They belong to the caller. */
  read(): Uint8Array | undefined
  /** The bytes must not change afterwards. Ignored once the stream is closing. */
  write(bytes: Uint8Array): void
  /** Closes once the other side has read all that was written. */
  end(): void
  /** Closes at once. */
  destroy(): void
  /** `ending`: still delivering. `closed`: nothing is sent any more, but what came before can be read. */
  readonly state: 'open' | 'ending' | 'closed'
  /** Why it broke; undefined while it has not, or was closed in order. */
  readonly error: StreamError | undefined
  /** Bytes that can be read. */
  readonly readable: number
  /** Closed by the other side before it sent anything: how real peers refuse. */
  readonly wasRefused: boolean
  /** Smoothed round trip in milliseconds. */
  roundTrip(): number | undefined
  /** One listener, called after anything above may have changed. */
  onChange(listener: () => void): void
}

export type StreamConnection = {
  readonly handle: StreamHandle
  /** Nothing more will be sent, except answers to one who has not heard of it. */
  readonly isOver: boolean
  /** May be forgotten. */
  isGone(now: number): boolean
  receive(flags: number, body: Uint8Array, now: number): void
  /** Breaks it without a word to the other side. */
  abandon(error: StreamError): void
  tick(now: number, outbox: Outbox): void
  /** Infinity for never. */
  nextDeadline(): number
}

export type StreamConnectionOptions = {
  readonly peerId: number
  readonly conv: number
  readonly budget: MemoryBudget
  readonly now: number
  /** An accepted stream that stays without data for so long is one of several attempts of the same opener. */
  readonly idleLimit: number
  /** Sends a packet without a body. */
  readonly sendFlags: (flags: number) => void
  /** Something is to be done at once that `nextDeadline` did not say before. */
  readonly wake: () => void
}

export const PING_EVERY = 10_000
export const DEAD_AFTER = 60_000
/** A reader that has not fetched anything for so long is not waited for any more. */
const READER_PATIENCE = 30_000
/** FIN is one packet and may be lost; without an answer it is repeated. */
const REPEAT_FIN_AFTER = [250, 500, 1000]
const ANSWER_AGAIN_AFTER = 200
/** Longer than the other side's pings are apart, so that one which has not heard of the end is told again. */
const LINGER = 15_000

/** One stream once it is open: KCP, keep-alive and the end. @see docs/network/streams.md */
export function createStreamConnection(options: StreamConnectionOptions): StreamConnection {
  const { sendFlags, wake } = options
  const kcp = createKcp(options.conv, options.budget)
  let state: 'open' | 'ending' | 'closed' = 'open'
  let error: StreamError | undefined
  let wasRefused = false
  let listener = () => {}

  let seenAt = options.now
  let pingAt = options.now + PING_EVERY
  const idleUntil = options.now + options.idleLimit
  let hasData = false
  let hasReceived = false
  let readSince = options.now
  let readerWindow = -1
  let isReadingOn = true

  /** What was said last: FIN or RST. */
  let lastWord = 0
  let saidAt = 0
  let closedFirst = false
  let hasPeerFin = false
  let repeats = 0
  let lingerUntil = Number.POSITIVE_INFINITY
  /** What the application did since the last tick; its calls carry no time. */
  let mustReset = false

  const isClosed = () => state === 'closed'
  const close = (reason: StreamError | undefined, keepsData: boolean) => {
    state = 'closed'
    error = reason
    if (!keepsData || !isReadingOn) kcp.discard()
    listener()
  }
  const say = (word: number, now: number) => {
    sendFlags(word)
    lastWord = word
    saidAt = now
    lingerUntil = now + LINGER
  }
  const breakOff = (reason: StreamError, now: number) => {
    say(streamFlags.rst, now)
    closedFirst = true
    close(reason, false)
  }

  const onFin = (now: number) => {
    hasPeerFin = true
    if (state !== 'closed') {
      wasRefused = !hasReceived
      say(streamFlags.fin, now)
      close(kcp.hasGap() ? new StreamError('cut') : undefined, true)
    } else if (!closedFirst && lastWord !== 0 && now - saidAt >= ANSWER_AGAIN_AFTER) say(lastWord, now)
  }
  /** The other side goes on as if nothing was: it has not heard of the end. */
  const remind = (now: number) => {
    if (lastWord !== 0 && !hasPeerFin && now - saidAt >= ANSWER_AGAIN_AFTER) say(lastWord, now)
  }

  const tickEnding = (now: number) => {
    if (state !== 'ending') return
    if (!kcp.isDelivered || kcp.peerWindow !== readerWindow) {
      readSince = now
      readerWindow = kcp.peerWindow
    }
    if (!kcp.isRead && now - readSince < READER_PATIENCE) return
    closedFirst = true
    say(streamFlags.fin, now)
    close(undefined, false)
  }
  const tickClosed = (now: number) => {
    const wait = REPEAT_FIN_AFTER[repeats]
    if (!closedFirst || hasPeerFin || lastWord !== streamFlags.fin || wait === undefined) return
    if (now < saidAt + wait) return
    repeats += 1
    say(streamFlags.fin, now)
  }
  const tickAlive = (now: number) => {
    const stuck = kcp.stuckSince()
    if (now - seenAt >= DEAD_AFTER || (stuck !== undefined && now - stuck >= DEAD_AFTER)) {
      return breakOff(new StreamError('dead'), now)
    }
    if (!hasData && now >= idleUntil) {
      closedFirst = true
      say(streamFlags.fin, now)
      return close(undefined, false)
    }
    if (now < pingAt) return
    pingAt = now + PING_EVERY
    sendFlags(streamFlags.ping)
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
      return state
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
      if (bytes && state !== 'closed' && kcp.nextDeadline() === 0) wake()
      return bytes
    },
    write(bytes) {
      if (state !== 'open' || bytes.length === 0) return
      hasData = true
      kcp.write(bytes)
      wake()
    },
    end() {
      isReadingOn = false
      kcp.discard()
      if (state === 'open') {
        state = 'ending'
        kcp.askWhetherRead(true)
      }
      wake()
      listener()
    },
    destroy() {
      isReadingOn = false
      kcp.discard()
      // Who reads hears of it at once and may destroy it, too, before the other side has been told.
      if (state !== 'closed') {
        mustReset = true
        close(new StreamError('closed'), false)
      }
      wake()
    },
    onChange(next) {
      listener = next
    },
  }

  return {
    handle,
    get isOver() {
      return state === 'closed'
    },
    // What can still be read is held by the handle.
    isGone: (now) => state === 'closed' && now >= lingerUntil,
    receive(flags, body, now) {
      seenAt = now
      // What came was answered, or acknowledged: the other side has heard of us, too.
      pingAt = now + PING_EVERY
      if (flags & streamFlags.rst) {
        if (state !== 'closed') close(new StreamError('reset'), false)
        hasPeerFin = true
        lingerUntil = Math.min(lingerUntil, now)
        return
      }
      if (flags & streamFlags.ping) {
        if (flags & streamFlags.pong) return
        if (state === 'closed') remind(now)
        else sendFlags(streamFlags.ping | streamFlags.pong)
        return
      }
      if (flags & streamFlags.data && body.length > 0) {
        if (state === 'closed') {
          if (body[4] === kcpCommands.push) remind(now)
        } else {
          kcp.input(body, now)
          hasReceived ||= kcp.readable > 0
          hasData ||= hasReceived
          listener()
        }
      }
      if (flags & streamFlags.fin) onFin(now)
    },
    abandon(reason) {
      lingerUntil = 0
      if (state !== 'closed') close(reason, false)
    },
    tick(now, outbox) {
      if (mustReset) {
        mustReset = false
        closedFirst = true
        say(streamFlags.rst, now)
      }
      if (isClosed()) return tickClosed(now)
      tickAlive(now)
      if (!isClosed()) tickEnding(now)
      if (isClosed()) return
      const before = kcp.queued
      kcp.flush(now, outbox)
      if (kcp.queued < before) listener()
    },
    nextDeadline() {
      if (mustReset) return 0
      if (state === 'closed') {
        const wait =
          closedFirst && !hasPeerFin && lastWord === streamFlags.fin ? REPEAT_FIN_AFTER[repeats] : undefined
        return wait === undefined ? lingerUntil : saidAt + wait
      }
      if (state === 'ending' && kcp.isRead) return 0
      const limit =
        state === 'ending' && kcp.isDelivered ? readSince + READER_PATIENCE : Number.POSITIVE_INFINITY
      const idle = hasData ? Number.POSITIVE_INFINITY : idleUntil
      const stuck = kcp.stuckSince() ?? Number.POSITIVE_INFINITY
      return Math.min(kcp.nextDeadline(), pingAt, seenAt + DEAD_AFTER, stuck + DEAD_AFTER, idle, limit)
    },
  }
}
