import { packetTypes } from '../wire/packet'
import { DeadlineQueue } from './deadlineQueue'
import type { StreamConnection } from './streamConnection'
import type { StreamIds, StreamPacket, StreamRoute } from './streamPacket'

/** The identity of a stream on this side, and how its packets are sent. */
export type ConversationId = StreamIds & {
  readonly peerId: number
  /** Packet type of what we send. */
  readonly type: number
}

export type Conversation =
  /** Our SYN has been sent. */
  | {
      readonly kind: 'attempt'
      readonly id: ConversationId
      readonly onFlags: (flags: number, now: number) => void
    }
  /** A SYN was answered by SYN|ACK; `route` is undefined when it could not be decoded. */
  | {
      readonly kind: 'halfOpen'
      readonly id: ConversationId
      readonly route: StreamRoute | undefined
      readonly until: number
    }
  | { readonly kind: 'connection'; readonly id: ConversationId; readonly connection: StreamConnection }

export type ConversationOf<Kind extends Conversation['kind']> = Conversation & { readonly kind: Kind }

/** Ended conversations that are remembered at most. */
const MAX_CLOSED = 256

/** Conversations in the order in which they began. */
export class Conversations {
  readonly #conversations = new Map<string, Conversation>()
  /** By peer; no set is empty. With hundreds of streams, going through all of them for each packet takes most of the time. */
  readonly #accepted = new Map<number, Set<string>>()
  /** Keys, in the order in which they ended. */
  readonly #ended = new Set<string>()
  readonly #deadlines = new DeadlineQueue<Conversation>()
  /** Packets come in runs, so the last one that was asked for is kept at hand. */
  #last: Conversation | undefined

  /** The keys of those that each peer has opened to us and that have not ended. */
  get accepted(): ReadonlyMap<number, ReadonlySet<string>> {
    return this.#accepted
  }

  all(): Iterable<Conversation> {
    return this.#conversations.values()
  }

  get(id: ConversationId): Conversation | undefined {
    if (!this.#last || !isSame(this.#last.id, id)) this.#last = this.#conversations.get(keyOf(id))
    return this.#last
  }

  /** Adds it, or replaces the one with this id. */
  set(conversation: Conversation): void {
    this.#last = undefined
    const key = keyOf(conversation.id)
    const before = this.#conversations.get(key)
    if (before) this.#deadlines.delete(before)
    this.#conversations.set(key, conversation)
    this.touch(conversation)
    if (isEnded(conversation)) this.#ended.add(key)
    if (isAccepted(conversation)) this.#noteAccepted(conversation.id)
  }

  delete(id: ConversationId): void {
    this.#last = undefined
    const key = keyOf(id)
    const conversation = this.#conversations.get(key)
    if (conversation) this.#deadlines.delete(conversation)
    this.#conversations.delete(key)
    this.#ended.delete(key)
    this.#forgetAccepted(id)
  }

  /** To be called when its connection has ended. */
  ended(id: ConversationId): void {
    this.#forgetAccepted(id)
    if (this.#conversations.has(keyOf(id))) this.#ended.add(keyOf(id))
  }

  /** To be called when its deadline may have become earlier. */
  touch(conversation: Conversation): void {
    // Many packets arrive between two ticks, and asking for the deadline is the expensive part.
    if (this.#deadlines.dueAt(conversation) > 0) this.#deadlines.add(conversation, deadlineOf(conversation))
  }

  /**
   * Infinity for never; it may be too early, which `tick` corrects, and never too late. Attempts have no deadline of their
   * own: that of their opening counts.
   */
  nextDeadline(): number {
    return this.#deadlines.next()
  }

  /** The newest of those of this peer; one that is not in use yet where there is one. */
  newestAccepted(peerId: number): Conversation | undefined {
    let newest: Conversation | undefined
    for (const key of this.#accepted.get(peerId) ?? []) {
      const each = this.#conversations.get(key)
      if (newest?.kind !== 'halfOpen' || each?.kind === 'halfOpen') newest = each
    }
    return newest
  }

  /**
   * Drops half-open ones that are too old, and ended ones that need not be remembered.
   * @param flush called before with each connection that is due: with a thousand streams, asking each of them would take most of the time
   */
  tick(now: number, flush: (connection: StreamConnection) => void): void {
    for (const each of this.#deadlines.take(now)) {
      if (this.get(each.id) !== each) continue
      if (each.kind === 'connection' && each.connection.nextDeadline() <= now) flush(each.connection)
      if (isExpired(each, now)) this.delete(each.id)
      else this.touch(each)
    }
    this.#dropEnded()
  }

  #noteAccepted(id: ConversationId): void {
    const keys = this.#accepted.get(id.peerId)
    if (keys) keys.add(keyOf(id))
    else this.#accepted.set(id.peerId, new Set([keyOf(id)]))
  }

  #forgetAccepted(id: ConversationId): void {
    const keys = this.#accepted.get(id.peerId)
    keys?.delete(keyOf(id))
    if (keys?.size === 0) this.#accepted.delete(id.peerId)
  }

  /** Drops the oldest of those that have ended where there are too many. */
  #dropEnded(): void {
    for (const key of this.#ended) {
      const conversation = this.#conversations.get(key)
      if (this.#ended.size <= MAX_CLOSED) return
      if (conversation) this.delete(conversation.id)
      else this.#ended.delete(key)
    }
  }
}

/**
 * The conversation that a packet belongs to. The side that opened a stream sends type 11, the other one type 12.
 * @returns undefined when the packet is not for us, or names another sender than the one it came from
 */
export function conversationOf(
  { conv, source, destination }: StreamPacket,
  type: number,
  fromPeer: number,
  ownId: number,
): ConversationId | undefined {
  if (type === packetTypes.kcpSource && source === fromPeer && destination === ownId) {
    return { conv, source, destination, peerId: fromPeer, type: packetTypes.kcpDestination }
  }
  if (type === packetTypes.kcpDestination && destination === fromPeer && source === ownId) {
    return { conv, source, destination, peerId: fromPeer, type: packetTypes.kcpSource }
  }
  return undefined
}

/** A stream that is over, though still remembered. */
export function isEnded(conversation: Conversation): boolean {
  return conversation.kind === 'connection' && conversation.connection.isOver
}

function isAccepted(conversation: Conversation): boolean {
  return conversation.id.type === packetTypes.kcpDestination && !isEnded(conversation)
}

function deadlineOf(conversation: Conversation): number {
  if (conversation.kind === 'connection') return conversation.connection.nextDeadline()
  return conversation.kind === 'halfOpen' ? conversation.until : Number.POSITIVE_INFINITY
}

function isExpired(conversation: Conversation, now: number): boolean {
  if (conversation.kind === 'halfOpen') return now >= conversation.until
  return conversation.kind === 'connection' && conversation.connection.isGone(now)
}

function isSame(one: ConversationId, other: ConversationId): boolean {
  return one.conv === other.conv && one.peerId === other.peerId && one.type === other.type
}

/** Both sides may open streams with the same number: the direction belongs to the key. */
function keyOf({ type, peerId, conv }: ConversationId): string {
  return `${type} ${peerId} ${conv}`
}
