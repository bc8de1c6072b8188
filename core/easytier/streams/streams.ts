import { decideShare } from '#core/shares'
import { packetTypes } from '../wire/packet'
import {
  type Conversation,
  type ConversationId,
  conversationOf,
  createConversations,
  isEnded,
} from './conversations'
import { createSharedMemory } from './kcp/memoryBudget'
import { createPacketBuffer } from './kcp/outbox'
import { createStreamAcceptor } from './streamAcceptor'
import { createStreamConnection, type StreamConnection } from './streamConnection'
import type { StreamHandle } from './streamHandle'
import { createStreamOpener, type Opening } from './streamOpener'
import {
  decodeStreamPacket,
  type Endpoint,
  encodeStreamPacket,
  STREAM_HEADER_SIZE,
  type StreamPacket,
  type StreamRoute,
  streamFlags,
  writeStreamHeader,
} from './streamPacket'

/** All streams of a peer. No timers: the owner calls `tick` at `nextDeadline()`, and soon after `wake`. */
export type Streams = {
  /**
   * A packet of type 11 or 12. Call `tick` after the last one at hand: answers to several share packets.
   * @param payload must not change afterwards
   * @param fromPeer the verified sender
   */
  receive(type: number, payload: Uint8Array, fromPeer: number, now: number): void
  open(peerId: number, route: StreamRoute, now: number): Opening
  tick(now: number): void
  /** When to call `tick`; in the past when there is something to do already, Infinity for never. */
  nextDeadline(): number
  /** The peer is gone for good (a restarted one counts as another): breaks its streams without telling it. */
  forgetPeer(peerId: number): void
  /** Breaks all streams and tells the peers, also of those that were destroyed before and have not sent their reset yet. */
  close(now: number): void
  /** Streams that are open or being opened. */
  readonly count: number
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
  /** Something is due that `nextDeadline` did not say before. */
  readonly wake: () => void
  /**
   * A stream was refused or withdrawn because there are too many.
   * @param peerId of the peer that has more than its share; undefined where none has
   */
  readonly onRefused?: (peerId?: number) => void
  readonly limits?: Partial<StreamLimits>
}

export type StreamLimits = {
  /** Of all peers, in both directions. */
  readonly streams: number
  /** That one peer has opened to us, half-open ones included. */
  readonly streamsPerPeer: number
  /** Received bytes that have not been read yet, of all streams together. */
  readonly heldBytes: number
  /** Of those that one peer has opened to us. */
  readonly heldBytesPerPeer: number
  /** How long an accepted stream may stay without data. */
  readonly idleMs: number
}

export const STREAM_LIMITS: StreamLimits = {
  streams: 1024,
  streamsPerPeer: 128,
  heldBytes: 64 * 1024 * 1024,
  heldBytesPerPeer: 16 * 1024 * 1024,
  idleMs: 30_000,
}

/** @see docs/network/streams.md */
export function createStreams(options: StreamsOptions): Streams {
  const { ownId, send, wake } = options
  const limits = { ...STREAM_LIMITS, ...options.limits }
  const memory = createSharedMemory({ perPeer: limits.heldBytesPerPeer, total: limits.heldBytes })
  const buffer = createPacketBuffer(STREAM_HEADER_SIZE)
  const conversations = createConversations()

  const sendFlags = (id: ConversationId, flags: number, body = NOTHING) =>
    send(
      id.peerId,
      id.type,
      encodeStreamPacket({
        conv: id.conv,
        source: id.source,
        destination: id.destination,
        flags,
        body,
      }),
    )
  const sendData = (id: ConversationId, packet: Uint8Array) => {
    writeStreamHeader(packet, id, streamFlags.ack | streamFlags.data)
    send(id.peerId, id.type, packet)
  }
  const count = () => {
    let open = opener.count
    for (const each of conversations.all()) if (each.kind !== 'attempt' && !isEnded(each)) open += 1
    return open
  }
  const hasRoom = () => {
    if (count() < limits.streams) return true
    options.onRefused?.()
    return false
  }
  const admits = (peerId: number): boolean => {
    const share = { perOwner: limits.streamsPerPeer, total: limits.streams - opener.count }
    const decision = decideShare(conversations.accepted, peerId, share)
    if (decision.kind === 'admit') return true
    if (decision.kind === 'refuse') {
      options.onRefused?.(decision.isOverShare ? peerId : undefined)
      return false
    }
    options.onRefused?.(decision.from)
    const newest = conversations.newestAccepted(decision.from)
    if (newest) breakOff(newest)
    return true
  }
  const breakOff = (conversation: Conversation) => {
    conversations.delete(conversation.id)
    sendFlags(conversation.id, streamFlags.rst)
    if (conversation.kind === 'connection') conversation.connection.abandon('closed')
  }
  const connect = (id: ConversationId, idleLimit: number, now: number): StreamConnection => {
    const connection = createStreamConnection({
      peerId: id.peerId,
      conv: id.conv,
      budget: id.type === packetTypes.kcpDestination ? memory.of(id.peerId) : memory.own,
      now,
      idleLimit,
      buffer,
      sendFlags: (flags) => sendFlags(id, flags),
      sendData: (packet) => sendData(id, packet),
      wake() {
        conversations.touch(conversation)
        wake()
      },
      onOver: () => conversations.ended(id),
    })
    const conversation: Conversation = { kind: 'connection', id, connection }
    conversations.set(conversation)
    return connection
  }
  const opener = createStreamOpener({
    ownId,
    random32: options.random32,
    conversations,
    sendFlags,
    connect: (id, now) => connect(id, Number.POSITIVE_INFINITY, now),
    hasRoom,
  })
  const acceptor = createStreamAcceptor({
    conversations,
    sendFlags,
    connect: (id, now) => connect(id, limits.idleMs, now),
    admits,
    accepts: options.accepts,
    onStream: options.onStream,
  })

  const dispatch = (id: ConversationId, packet: StreamPacket, now: number) => {
    const conversation = conversations.get(id)
    switch (conversation?.kind) {
      case undefined:
        return acceptor.onUnknown(id, packet, now)
      case 'connection':
        conversation.connection.receive(packet.flags, packet.body, now)
        return conversations.touch(conversation)
      case 'halfOpen':
        return acceptor.onHalfOpen(conversation, packet, now)
      case 'attempt':
        return opener.onAttempt(conversation, packet, now)
    }
  }

  return {
    open: opener.open,
    receive(type, payload, fromPeer, now) {
      const packet = decodeStreamPacket(payload)
      const id = packet && conversationOf(packet, type, fromPeer, ownId)
      if (id) dispatch(id, packet, now)
    },
    tick(now) {
      opener.tick(now)
      for (const each of conversations.all()) {
        if (each.kind === 'connection' && each.connection.nextDeadline() <= now) each.connection.flush(now)
      }
      conversations.dropGone(now)
    },
    nextDeadline: () => Math.min(opener.nextDeadline(), conversations.nextDeadline()),
    forgetPeer(peerId) {
      opener.fail('unanswered', peerId)
      for (const each of conversations.all()) {
        if (each.id.peerId !== peerId) continue
        conversations.delete(each.id)
        if (each.kind === 'connection') each.connection.abandon('dead')
      }
    },
    close(now) {
      opener.fail('cancelled')
      for (const each of conversations.all()) {
        if (!isEnded(each)) breakOff(each)
        else {
          conversations.delete(each.id)
          if (each.kind === 'connection') each.connection.flush(now)
        }
      }
    },
    get count() {
      return count()
    },
  }
}

const NOTHING: Uint8Array = new Uint8Array(0)
