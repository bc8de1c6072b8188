import { createDeferred } from '#core/async/deferred'
import { packetTypes } from '../wire/packet'
import type { ConversationId, ConversationOf, Conversations } from './conversations'
import { createOpenAttempts, type OpenAttempts } from './openAttempts'
import type { StreamConnection } from './streamConnection'
import { StreamError, type StreamErrorReason, type StreamHandle } from './streamHandle'
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

/** Streams that we open to others. */
export type StreamOpener = {
  open(peerId: number, route: StreamRoute, now: number): Opening
  /** A packet of one of our attempts. */
  onAttempt(conversation: ConversationOf<'attempt'>, packet: StreamPacket, now: number): void
  tick(now: number): void
  nextDeadline(): number
  /** Fails the openings to one peer, or all of them. */
  fail(reason: StreamErrorReason, peerId?: number): void
  /** Streams that are being opened. */
  readonly count: number
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

export function createStreamOpener(options: StreamOpenerOptions): StreamOpener {
  const { ownId, conversations, sendFlags } = options
  /** With the peer of each. */
  const openings = new Map<OpenAttempts, number>()
  let lastConv = options.random32() >>> 0

  const idOf = (peerId: number, conv: number): ConversationId => ({
    conv,
    source: ownId,
    destination: peerId,
    peerId,
    type: packetTypes.kcpSource,
  })
  const newId = (peerId: number): ConversationId => {
    do lastConv = (lastConv + 1) >>> 0
    while (conversations.get(idOf(peerId, lastConv)))
    return idOf(peerId, lastConv)
  }

  return {
    open(peerId, route, now) {
      const { promise, resolve, reject } = createDeferred<StreamHandle>()
      const body = encodeStreamRoute(route)
      const attempts = createOpenAttempts({
        now,
        start() {
          const id = newId(peerId)
          const onAnswered = (at: number) => {
            attempts.succeeded(id.conv)
            openings.delete(attempts)
            sendFlags(id, streamFlags.ack | streamFlags.data)
            resolve(options.connect(id, at))
          }
          conversations.set({ kind: 'attempt', id, attempts, onAnswered })
          sendFlags(id, streamFlags.syn, body)
          return id.conv
        },
        giveUp(conv, isRefused) {
          const id = idOf(peerId, conv)
          if (!isRefused) sendFlags(id, streamFlags.rst)
          conversations.delete(id)
        },
        onFail(error) {
          openings.delete(attempts)
          reject(error)
        },
      })
      if (options.hasRoom()) {
        openings.set(attempts, peerId)
        attempts.tick(now)
      } else attempts.fail(new StreamError('too-many'))
      return { opened: promise, cancel: () => attempts.fail(new StreamError('cancelled')) }
    },
    onAttempt({ id, attempts, onAnswered }, { flags }, now) {
      if (flags & streamFlags.rst) attempts.refused(id.conv)
      else if ((flags & STATE_FLAGS) === (streamFlags.syn | streamFlags.ack)) onAnswered(now)
    },
    tick(now) {
      for (const attempts of openings.keys()) attempts.tick(now)
    },
    nextDeadline() {
      let deadline = Number.POSITIVE_INFINITY
      for (const attempts of openings.keys()) deadline = Math.min(deadline, attempts.nextDeadline())
      return deadline
    },
    fail(reason, peerId) {
      for (const [attempts, target] of openings) {
        if (peerId === undefined || peerId === target) attempts.fail(new StreamError(reason))
      }
    },
    get count() {
      return openings.size
    },
  }
}
