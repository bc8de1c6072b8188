import { packetTypes } from '../wire/packet'
import type { OpenAttempts } from './openAttempts'
import type { StreamConnection } from './streamConnection'
import type { StreamIds, StreamPacket, StreamRoute } from './streamPacket'

/** What identifies a stream on this side, and how its packets are sent. */
export type ConversationId = StreamIds & {
  /** The other side. */
  readonly peerId: number
  /** Packet type of what we send. */
  readonly type: number
}

export type Conversation =
  /** Our SYN has been sent. */
  | {
      readonly kind: 'attempt'
      readonly id: ConversationId
      readonly attempts: OpenAttempts
      readonly onAnswered: (now: number) => void
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

/** Conversations in the order in which they began. */
export type Conversations = {
  all(): Iterable<Conversation>
  get(id: ConversationId): Conversation | undefined
  /** Adds it, or replaces the one with this id. */
  set(conversation: Conversation): void
  delete(id: ConversationId): void
  /** Infinity for never. Attempts have no deadline of their own: that of their opening counts. */
  nextDeadline(): number
  /** Drops half-open ones that are too old, and ended ones that need not be remembered. */
  dropGone(now: number): void
}

/** Ended conversations that are remembered at most. */
const MAX_CLOSED = 1024

export function createConversations(): Conversations {
  const conversations = new Map<string, Conversation>()
  /** Packets come in runs, so the last one that was asked for is kept at hand. */
  let last: Conversation | undefined

  const remove = (id: ConversationId) => {
    last = undefined
    conversations.delete(keyOf(id))
  }
  const dropExpired = (now: number): number => {
    let closed = 0
    for (const conversation of conversations.values()) {
      if (isEnded(conversation)) closed += 1
      if (isExpired(conversation, now)) remove(conversation.id)
    }
    return closed
  }

  return {
    all: () => conversations.values(),
    get(id) {
      if (!last || !isSame(last.id, id)) last = conversations.get(keyOf(id))
      return last
    },
    set(conversation) {
      last = undefined
      conversations.set(keyOf(conversation.id), conversation)
    },
    delete: remove,
    nextDeadline() {
      let deadline = Number.POSITIVE_INFINITY
      for (const each of conversations.values()) {
        if (each.kind === 'connection') deadline = Math.min(deadline, each.connection.nextDeadline())
        else if (each.kind === 'halfOpen') deadline = Math.min(deadline, each.until)
      }
      return deadline
    },
    dropGone(now) {
      let excess = dropExpired(now) - MAX_CLOSED
      if (excess <= 0) return
      for (const conversation of conversations.values()) {
        if (excess <= 0) return
        if (!isEnded(conversation)) continue
        remove(conversation.id)
        excess -= 1
      }
    },
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

/** How many each peer has opened to us and has not ended. */
export function countAccepted(conversations: Iterable<Conversation>): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const each of conversations) {
    if (isAccepted(each)) counts.set(each.id.peerId, (counts.get(each.id.peerId) ?? 0) + 1)
  }
  return counts
}

/** The newest one that this peer has opened to us; one that is not in use yet where there is one. */
export function newestAccepted(
  conversations: Iterable<Conversation>,
  peerId: number,
): Conversation | undefined {
  let newest: Conversation | undefined
  for (const each of conversations) {
    const isOfPeer = isAccepted(each) && each.id.peerId === peerId
    if (isOfPeer && (newest?.kind !== 'halfOpen' || each.kind === 'halfOpen')) newest = each
  }
  return newest
}

function isAccepted(conversation: Conversation): boolean {
  return conversation.id.type === packetTypes.kcpDestination && !isEnded(conversation)
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
