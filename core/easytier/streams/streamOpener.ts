import { createDeferred, type Deferred } from '#core/async/deferred'
import { packetTypes } from '../wire/packet'
import type { StreamHandle } from './byteStream'
import type { ConversationId, Conversations } from './conversations'
import type { StreamConnection } from './streamConnection'
import { StreamError, type StreamErrorReason } from './streamError'
import { encodeStreamRoute, STATE_FLAGS, type StreamRoute, streamFlags } from './streamPacket'

export type Opening = {
  /** @throws StreamError when refused, not answered in 10 s, or cancelled */
  readonly opened: Promise<StreamHandle>
  cancel(): void
}

export type StreamOpenerOptions = {
  readonly ownId: number
  readonly random32: () => number
  readonly conversations: Pick<Conversations, 'get' | 'set' | 'delete'>
  readonly sendFlags: (id: ConversationId, flags: number, body?: Uint8Array) => void
  /** Turns the conversation into an open connection. */
  readonly connect: (id: ConversationId, now: number) => StreamConnection
  /** Whether there may be one more stream; a refusal is counted there. */
  readonly hasRoom: () => boolean
}

const MAX_ATTEMPTS = 5
/** A SYN that arrives before the other side has our peer record gets no answer, so the second one follows soon. */
const SECOND_AFTER = 100
const NEXT_AFTER = 200
const GIVE_UP_AFTER = 10_000

type Attempts = {
  readonly peerId: number
  tick(now: number): void
  nextDeadline(): number
  fail(reason: StreamErrorReason): void
}

/**
 * Streams that we open to others. Neither side repeats the packets that open a stream, so each attempt to open it has a
 * conversation of its own.
 * @see docs/network/streams.md
 */
export function createStreamOpener(options: StreamOpenerOptions) {
  const { ownId, conversations, sendFlags, connect } = options
  const openings = new Set<Attempts>()
  let lastConv = options.random32() >>> 0

  return {
    /** Streams that are being opened. */
    count: (): number => openings.size,
    open(peerId: number, route: StreamRoute, now: number): Opening {
      const opened = createDeferred<StreamHandle>()
      const attempts = createAttempts(peerId, route, now, opened)
      const hasRoom = options.hasRoom()
      openings.add(attempts)
      if (hasRoom) attempts.tick(now)
      else attempts.fail('too-many')
      return { opened: opened.promise, cancel: () => attempts.fail('cancelled') }
    },
    tick(now: number): void {
      for (const attempts of openings) attempts.tick(now)
    },
    nextDeadline: (): number => Math.min(...[...openings].map((attempts) => attempts.nextDeadline())),
    /** Fails the openings to one peer, or all of them. */
    fail(reason: StreamErrorReason, peerId?: number): void {
      for (const attempts of openings) {
        if (peerId === undefined || peerId === attempts.peerId) attempts.fail(reason)
      }
    },
  }

  function createAttempts(
    peerId: number,
    route: StreamRoute,
    begun: number,
    opened: Deferred<StreamHandle>,
  ): Attempts {
    const body = encodeStreamRoute(route)
    const pending = new Set<ConversationId>()
    const giveUpAt = begun + GIVE_UP_AFTER
    let count = 0
    let nextAt = begun
    const attempts = { peerId, tick, nextDeadline: () => Math.min(nextAt, giveUpAt), fail }
    return attempts

    function tick(now: number): void {
      if (now >= giveUpAt) fail('unanswered')
      if (now >= giveUpAt || now < nextAt) return
      count += 1
      nextAt = count === MAX_ATTEMPTS ? giveUpAt : now + (count === 1 ? SECOND_AFTER : NEXT_AFTER)
      const id = newId(peerId)
      pending.add(id)
      conversations.set({ kind: 'attempt', id, onFlags: (flags, at) => onFlags(id, flags, at) })
      sendFlags(id, streamFlags.syn, body)
    }

    function onFlags(id: ConversationId, flags: number, now: number): void {
      if (flags & streamFlags.rst) {
        pending.delete(id)
        conversations.delete(id)
        if (pending.size === 0 && count === MAX_ATTEMPTS) fail('refused')
      } else if ((flags & STATE_FLAGS) === (streamFlags.syn | streamFlags.ack)) {
        end(id)
        sendFlags(id, streamFlags.ack | streamFlags.data)
        opened.resolve(connect(id, now))
      }
    }

    function fail(reason: StreamErrorReason): void {
      if (!openings.has(attempts)) return
      end()
      opened.reject(new StreamError(reason))
    }

    /** @param winner the conversation that has opened the stream; the others are given up */
    function end(winner?: ConversationId): void {
      openings.delete(attempts)
      for (const id of pending) {
        if (id === winner) continue
        sendFlags(id, streamFlags.rst)
        conversations.delete(id)
      }
    }
  }

  function newId(peerId: number): ConversationId {
    for (;;) {
      lastConv = (lastConv + 1) >>> 0
      const type = packetTypes.kcpSource
      const id = { conv: lastConv, source: ownId, destination: peerId, peerId, type }
      if (!conversations.get(id)) return id
    }
  }
}
