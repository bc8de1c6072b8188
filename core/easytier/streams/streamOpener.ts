import { createDeferred, type Deferred } from '#core/async/deferred'
import { packetTypes } from '../wire/packet'
import type { StreamHandle } from './byteStream'
import type { ConversationId, ConversationOf, Conversations } from './conversations'
import { createOpenAttempts, type OpenAttempts } from './openAttempts'
import type { StreamConnection } from './streamConnection'
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
export function createStreamOpener(options: StreamOpenerOptions) {
  const { ownId, conversations, sendFlags, connect } = options
  /** With the peer of each. */
  const openings = new Map<OpenAttempts, number>()
  let lastConv = options.random32() >>> 0

  return {
    /** Streams that are being opened. */
    count: (): number => openings.size,
    open(peerId: number, route: StreamRoute, now: number): Opening {
      const opened = createDeferred<StreamHandle>()
      const attempts = createAttempts(peerId, route, now, opened)
      if (options.hasRoom()) {
        openings.set(attempts, peerId)
        attempts.tick(now)
      } else attempts.fail(new StreamError('too-many'))
      return { opened: opened.promise, cancel: () => attempts.fail(new StreamError('cancelled')) }
    },
    onAttempt(
      { id, attempts, onAnswered }: ConversationOf<'attempt'>,
      { flags }: StreamPacket,
      now: number,
    ): void {
      if (flags & streamFlags.rst) attempts.refused(id.conv)
      else if ((flags & STATE_FLAGS) === (streamFlags.syn | streamFlags.ack)) onAnswered(now)
    },
    tick(now: number): void {
      for (const attempts of openings.keys()) attempts.tick(now)
    },
    nextDeadline(): number {
      let deadline = Number.POSITIVE_INFINITY
      for (const attempts of openings.keys()) deadline = Math.min(deadline, attempts.nextDeadline())
      return deadline
    },
    /** Fails the openings to one peer, or all of them. */
    fail(reason: StreamErrorReason, peerId?: number): void {
      for (const [attempts, target] of openings) {
        if (peerId === undefined || peerId === target) attempts.fail(new StreamError(reason))
      }
    },
  }

  function createAttempts(
    peerId: number,
    route: StreamRoute,
    now: number,
    opened: Deferred<StreamHandle>,
  ): OpenAttempts {
    const body = encodeStreamRoute(route)
    const attempts = createOpenAttempts({
      now,
      start: () => {
        const id = newId(peerId)
        const onAnswered = (at: number) => {
          attempts.succeeded(id.conv)
          openings.delete(attempts)
          sendFlags(id, streamFlags.ack | streamFlags.data)
          opened.resolve(connect(id, at))
        }
        conversations.set({ kind: 'attempt', id, attempts, onAnswered })
        sendFlags(id, streamFlags.syn, body)
        return id.conv
      },
      giveUp: (conv, isRefused) => {
        const id = idOf(peerId, conv)
        if (!isRefused) sendFlags(id, streamFlags.rst)
        conversations.delete(id)
      },
      onFail: (error) => {
        openings.delete(attempts)
        opened.reject(error)
      },
    })
    return attempts
  }

  function newId(peerId: number): ConversationId {
    let id: ConversationId
    do {
      lastConv = (lastConv + 1) >>> 0
      id = idOf(peerId, lastConv)
    } while (conversations.get(id))
    return id
  }

  function idOf(peerId: number, conv: number): ConversationId {
    return { conv, source: ownId, destination: peerId, peerId, type: packetTypes.kcpSource }
  }
}
