import type { Denial } from '#core/shares'
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
import { STREAM_LIMITS, type StreamLimits } from './streamLimits'
import { createStreamOpener, type Opening } from './streamOpener'
import {
  decodeStreamPacket,
  encodeStreamPacket,
  STREAM_HEADER_SIZE,
  type StreamEndpoint,
  type StreamPacket,
  type StreamRoute,
  streamFlags,
  writeStreamHeader,
} from './streamPacket'
import { createStreamPlaces } from './streamPlaces'

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
  readonly accepts: (destination: StreamEndpoint, peerId: number) => boolean
  readonly onStream: (stream: StreamHandle, destination: StreamEndpoint) => void
  /** A number below 2^32 to start conversations from. */
  readonly random32: () => number
  /** Something is due that `nextDeadline` did not say before. */
  readonly wake: () => void
  /**
   * A stream was refused or withdrawn because there are too many.
   * @param peerId of the peer that asked for it, or had it; undefined for streams of our own
   * @param denial refused when not given
   */
  readonly onRefused?: (peerId?: number, denial?: Denial) => void
  readonly limits?: Partial<StreamLimits>
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
  const places = createStreamPlaces({
    limits,
    conversations,
    opening: () => opener.count,
    breakOff,
    onRefused: options.onRefused ?? (() => {}),
  })
  const opener = createStreamOpener({
    ownId,
    random32: options.random32,
    conversations,
    sendFlags,
    connect: (id, now) => connect(id, Number.POSITIVE_INFINITY, now),
    hasRoom: places.hasRoom,
  })
  const acceptor = createStreamAcceptor({
    conversations,
    sendFlags,
    connect: (id, now) => connect(id, limits.idleMs, now),
    admits: places.admits,
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
      conversations.tick(now, (connection) => connection.flush(now))
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
      return places.count
    },
  }
}

const NOTHING: Uint8Array = new Uint8Array(0)
