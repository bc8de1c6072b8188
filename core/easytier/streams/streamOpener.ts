import { createDeferred } from '@lantern-room/base/async'
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
}

const MAX_ATTEMPTS = 5
/** A SYN that arrives before the other side has our peer record gets no answer, so the second one follows soon. */
const SECOND_AFTER = 100
const NEXT_AFTER = 200
const GIVE_UP_AFTER = 10_000

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
    /** @param hasRoom whether there may be one more stream; the opening fails where there may not */
    open(peerId: number, route: StreamRoute, now: number, hasRoom: boolean): Opening {
      const attempts: Attempts = new Attempts(peerId, route, now, {
        conversations,
        sendFlags,
        connect,
        newId,
        onEnd: () => openings.delete(attempts),
      })
      openings.add(attempts)
      if (hasRoom) attempts.tick(now)
      else attempts.fail('too-many')
      return { opened: attempts.opened.promise, cancel: () => attempts.fail('cancelled') }
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

  function newId(peerId: number): ConversationId {
    for (;;) {
      lastConv = (lastConv + 1) >>> 0
      const id = { conv: lastConv, source: ownId, destination: peerId, peerId, type: packetTypes.kcpSource }
      if (!conversations.get(id)) return id
    }
  }
}

type AttemptsOptions = Pick<StreamOpenerOptions, 'conversations' | 'sendFlags' | 'connect'> & {
  readonly newId: (peerId: number) => ConversationId
  readonly onEnd: () => void
}

/** The attempts to open one stream. */
class Attempts {
  readonly peerId: number
  readonly opened = createDeferred<StreamHandle>()
  readonly #options: AttemptsOptions
  readonly #body: Uint8Array
  readonly #giveUpAt: number
  readonly #pending = new Set<ConversationId>()
  #count = 0
  #nextAt: number

  constructor(peerId: number, route: StreamRoute, begun: number, options: AttemptsOptions) {
    this.peerId = peerId
    this.#options = options
    this.#body = encodeStreamRoute(route)
    this.#giveUpAt = begun + GIVE_UP_AFTER
    this.#nextAt = begun
  }

  tick(now: number): void {
    if (now >= this.#giveUpAt) this.fail('unanswered')
    else if (now >= this.#nextAt) this.#sendSyn(now)
  }

  #sendSyn(now: number): void {
    this.#count += 1
    const pause = this.#count === 1 ? SECOND_AFTER : NEXT_AFTER
    this.#nextAt = this.#count === MAX_ATTEMPTS ? this.#giveUpAt : now + pause
    const { conversations, sendFlags, newId } = this.#options
    const id = newId(this.peerId)
    this.#pending.add(id)
    conversations.set({ kind: 'attempt', id, onFlags: (flags, at) => this.#onFlags(id, flags, at) })
    sendFlags(id, streamFlags.syn, this.#body)
  }

  nextDeadline(): number {
    return Math.min(this.#nextAt, this.#giveUpAt)
  }

  fail(reason: StreamErrorReason): void {
    this.#end()
    this.opened.reject(new StreamError(reason))
  }

  #onFlags(id: ConversationId, flags: number, now: number): void {
    const { conversations, sendFlags, connect } = this.#options
    if (flags & streamFlags.rst) {
      this.#pending.delete(id)
      conversations.delete(id)
      if (this.#pending.size === 0 && this.#count === MAX_ATTEMPTS) this.fail('refused')
    } else if ((flags & STATE_FLAGS) === (streamFlags.syn | streamFlags.ack)) {
      this.#end(id)
      sendFlags(id, streamFlags.ack | streamFlags.data)
      this.opened.resolve(connect(id, now))
    }
  }

  /** @param winner the conversation that has opened the stream; the others are given up */
  #end(winner?: ConversationId): void {
    const { conversations, sendFlags, onEnd } = this.#options
    onEnd()
    for (const id of this.#pending) {
      if (id === winner) continue
      sendFlags(id, streamFlags.rst)
      conversations.delete(id)
    }
    this.#pending.clear()
  }
}
