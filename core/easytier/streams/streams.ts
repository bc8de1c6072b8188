import { type Denial, setNewest } from '@lantern-room/base/limits'
import type { TransportKind } from '../transport/transports'
import { packetTypes } from '../wire/packet'
import type { StreamHandle } from './byteStream'
import {
  type Conversation,
  type ConversationId,
  Conversations,
  conversationOf,
  isEnded,
} from './conversations'
import { createSharedMemory } from './kcp/memoryBudget'
import { createPacketBuffer } from './kcp/outbox'
import { PacketSize } from './kcp/packetSize'
import { STREAM_HEADER_SIZE } from './kcp/segments'
import { createStreamAcceptor, type StreamAcceptor } from './streamAcceptor'
import { StreamConnection } from './streamConnection'
import { createStreamOpener, type Opening } from './streamOpener'
import {
  decodeStreamPacket,
  encodeStreamPacket,
  type StreamEndpoint,
  type StreamPacket,
  type StreamRoute,
  streamFlags,
  writeStreamHeader,
} from './streamPacket'
import { createStreamPlaces, STREAM_LIMITS, type StreamLimits, type StreamPlaces } from './streamPlaces'

export type StreamsOptions = {
  readonly ownId: number
  /** The payload is lent: it holds only during the call. @returns by what it has left */
  readonly send: (peerId: number, packetType: number, payload: Uint8Array) => TransportKind | undefined
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

/** Peers of which is remembered what reaches them: more than a network has members. */
const MAX_SIZES = 256

/**
 * All streams of a peer. No timers: the owner calls `tick` at `nextDeadline()`, and soon after `wake`.
 * @see docs/network/streams.md
 */
export class Streams {
  readonly #options: StreamsOptions
  readonly #memory: ReturnType<typeof createSharedMemory>
  readonly #buffer = createPacketBuffer(STREAM_HEADER_SIZE)
  readonly #conversations = new Conversations()
  /** By peer, the longest known first. */
  readonly #sizes = new Map<number, PacketSize>()
  readonly #places: StreamPlaces
  readonly #opener: ReturnType<typeof createStreamOpener>
  readonly #acceptor: StreamAcceptor

  constructor(options: StreamsOptions) {
    this.#options = options
    const limits = { ...STREAM_LIMITS, ...options.limits }
    this.#memory = createSharedMemory({ perPeer: limits.heldBytesPerPeer, total: limits.heldBytes })
    const conversations = this.#conversations
    const sendFlags = (id: ConversationId, flags: number, body?: Uint8Array) =>
      this.#sendFlags(id, flags, body)
    this.#opener = createStreamOpener({
      ownId: options.ownId,
      random32: options.random32,
      conversations,
      sendFlags,
      connect: (id, now) => this.#connect(id, Number.POSITIVE_INFINITY, now),
    })
    this.#places = createStreamPlaces({
      limits,
      conversations,
      opening: this.#opener.count,
      breakOff: (conversation) => this.#breakOff(conversation),
      onRefused: options.onRefused ?? (() => {}),
    })
    this.#acceptor = createStreamAcceptor({
      conversations,
      sendFlags,
      connect: (id, now) => this.#connect(id, limits.idleMs, now),
      admits: this.#places.admits,
      accepts: options.accepts,
      onStream: options.onStream,
    })
  }

  open(peerId: number, route: StreamRoute, now: number): Opening {
    return this.#opener.open(peerId, route, now, this.#places.hasRoom())
  }

  /**
   * A packet of type 11 or 12. Call `tick` after the last one at hand: answers to several share packets.
   * @param payload must not change afterwards
   * @param fromPeer the verified sender
   */
  receive(type: number, payload: Uint8Array, fromPeer: number, now: number): void {
    const packet = decodeStreamPacket(payload)
    const id = packet && conversationOf(packet, type, fromPeer, this.#options.ownId)
    if (id) this.#dispatch(id, packet, now)
  }

  tick(now: number): void {
    this.#opener.tick(now)
    this.#conversations.tick(now, (connection) => connection.flush(now))
  }

  /** When to call `tick`; in the past when there is something to do already, Infinity for never. */
  nextDeadline(): number {
    return Math.min(this.#opener.nextDeadline(), this.#conversations.nextDeadline())
  }

  /** The peer is gone for good (a restarted one counts as another): breaks its streams without telling it. */
  forgetPeer(peerId: number): void {
    this.#opener.fail('unanswered', peerId)
    this.#sizes.delete(peerId)
    for (const each of this.#conversations.all()) {
      if (each.id.peerId !== peerId) continue
      this.#conversations.delete(each.id)
      if (each.kind === 'connection') each.connection.abandon('dead')
    }
  }

  /** Breaks all streams and tells the peers, also of those that were destroyed before and have not sent their reset yet. */
  close(now: number): void {
    this.#opener.fail('cancelled')
    for (const each of this.#conversations.all()) {
      if (!isEnded(each)) this.#breakOff(each)
      else {
        this.#conversations.delete(each.id)
        if (each.kind === 'connection') each.connection.flush(now)
      }
    }
  }

  /** The largest payload that is known to reach a peer in one packet, in bytes; undefined before it has had a stream. */
  payloadTo(peerId: number): number | undefined {
    return this.#sizes.get(peerId)?.payload
  }

  /** Streams that are open or being opened. */
  get count(): number {
    return this.#places.count
  }

  #dispatch(id: ConversationId, packet: StreamPacket, now: number): void {
    const conversation = this.#conversations.get(id)
    if (!conversation) this.#acceptor.onUnknown(id, packet, now)
    else if (conversation.kind === 'halfOpen') this.#acceptor.onHalfOpen(conversation, packet, now)
    else if (conversation.kind === 'attempt') conversation.onFlags(packet.flags, now)
    else {
      conversation.connection.receive(packet.flags, packet.body, now)
      this.#conversations.touch(conversation)
    }
  }

  #connect(id: ConversationId, idleLimit: number, now: number): StreamConnection {
    const size = this.#sizeOf(id.peerId)
    const connection = new StreamConnection({
      peerId: id.peerId,
      conv: id.conv,
      size,
      budget: id.type === packetTypes.kcpDestination ? this.#memory.of(id.peerId) : this.#memory.own,
      now,
      idleLimit,
      buffer: this.#buffer,
      sendFlags: (flags, body) => this.#sendFlags(id, flags, body),
      sendData: (packet) => {
        size.carrier = this.#sendData(id, packet)
      },
      wake: () => {
        this.#conversations.touch(conversation)
        this.#options.wake()
      },
      onOver: () => this.#conversations.ended(id),
    })
    const conversation: Conversation = { kind: 'connection', id, connection }
    this.#conversations.set(conversation)
    return connection
  }

  #sizeOf(peerId: number): PacketSize {
    const size = this.#sizes.get(peerId) ?? new PacketSize()
    setNewest(this.#sizes, peerId, size, MAX_SIZES)
    return size
  }

  #breakOff(conversation: Conversation): void {
    this.#conversations.delete(conversation.id)
    this.#sendFlags(conversation.id, streamFlags.rst)
    if (conversation.kind === 'connection') conversation.connection.abandon('closed')
  }

  #sendFlags(
    { peerId, type, conv, source, destination }: ConversationId,
    flags: number,
    body = NOTHING,
  ): void {
    this.#options.send(peerId, type, encodeStreamPacket({ conv, source, destination, flags, body }))
  }

  #sendData(id: ConversationId, packet: Uint8Array) {
    writeStreamHeader(packet, id, streamFlags.ack | streamFlags.data)
    return this.#options.send(id.peerId, id.type, packet)
  }
}

const NOTHING: Uint8Array = new Uint8Array(0)
