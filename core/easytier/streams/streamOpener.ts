import { createDeferred, type Deferred } from '#core/async/deferred'
import { packetTypes } from '../wire/packet'
import type { ConversationId, ConversationOf, Conversations } from './conversations'
import { OpenAttempts } from './openAttempts'
import type { StreamConnection, StreamHandle } from './streamConnection'
import { StreamError, type StreamErrorReason } from './streamError'
import {
  encodeStreamRoute,
  STATE_FLAGS,
  type StreamPacket,
  type StreamRoute,
  streamFlags,
} from './streamPacket'

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

/** Streams that we open to others. */
export class StreamOpener {
  readonly #options: StreamOpenerOptions
  /** With the peer of each. */
  readonly #openings = new Map<OpenAttempts, number>()
  #lastConv: number

  constructor(options: StreamOpenerOptions) {
    this.#options = options
    this.#lastConv = options.random32() >>> 0
  }

  /** Streams that are being opened. */
  get count(): number {
    return this.#openings.size
  }

  open(peerId: number, route: StreamRoute, now: number): Opening {
    const opened = createDeferred<StreamHandle>()
    const attempts = this.#createAttempts(peerId, route, now, opened)
    if (this.#options.hasRoom()) {
      this.#openings.set(attempts, peerId)
      attempts.tick(now)
    } else attempts.fail(new StreamError('too-many'))
    return { opened: opened.promise, cancel: () => attempts.fail(new StreamError('cancelled')) }
  }

  onAttempt(
    { id, attempts, onAnswered }: ConversationOf<'attempt'>,
    { flags }: StreamPacket,
    now: number,
  ): void {
    if (flags & streamFlags.rst) attempts.refused(id.conv)
    else if ((flags & STATE_FLAGS) === (streamFlags.syn | streamFlags.ack)) onAnswered(now)
  }

  tick(now: number): void {
    for (const attempts of this.#openings.keys()) attempts.tick(now)
  }

  nextDeadline(): number {
    let deadline = Number.POSITIVE_INFINITY
    for (const attempts of this.#openings.keys()) deadline = Math.min(deadline, attempts.nextDeadline())
    return deadline
  }

  /** Fails the openings to one peer, or all of them. */
  fail(reason: StreamErrorReason, peerId?: number): void {
    for (const [attempts, target] of this.#openings) {
      if (peerId === undefined || peerId === target) attempts.fail(new StreamError(reason))
    }
  }

  #createAttempts(
    peerId: number,
    route: StreamRoute,
    now: number,
    opened: Deferred<StreamHandle>,
  ): OpenAttempts {
    const { conversations, sendFlags, connect } = this.#options
    const body = encodeStreamRoute(route)
    const attempts = new OpenAttempts({
      now,
      start: () => {
        const id = this.#newId(peerId)
        const onAnswered = (at: number) => {
          attempts.succeeded(id.conv)
          this.#openings.delete(attempts)
          sendFlags(id, streamFlags.ack | streamFlags.data)
          opened.resolve(connect(id, at))
        }
        conversations.set({ kind: 'attempt', id, attempts, onAnswered })
        sendFlags(id, streamFlags.syn, body)
        return id.conv
      },
      giveUp: (conv, isRefused) => {
        const id = this.#idOf(peerId, conv)
        if (!isRefused) sendFlags(id, streamFlags.rst)
        conversations.delete(id)
      },
      onFail: (error) => {
        this.#openings.delete(attempts)
        opened.reject(error)
      },
    })
    return attempts
  }

  #newId(peerId: number): ConversationId {
    let id: ConversationId
    do {
      this.#lastConv = (this.#lastConv + 1) >>> 0
      id = this.#idOf(peerId, this.#lastConv)
    } while (this.#options.conversations.get(id))
    return id
  }

  #idOf(peerId: number, conv: number): ConversationId {
    return { conv, source: this.#options.ownId, destination: peerId, peerId, type: packetTypes.kcpSource }
  }
}
