import { createBoundedParts } from '../boundedParts'
import type { Ipv4Packet } from './ipv4'

const MAX_PAYLOAD = 65_515
/** A packet in fragments that pass every path; one in more, smaller ones is dropped. */
const MAX_FRAGMENTS = 144

/**
 * Joins the fragments of each member by source, target, protocol and id. Overlapping fragments are an attack or damage: the whole
 * packet is dropped. Each is 64 KiB at most.
 */
export function createReassembly() {
  const open = createBoundedParts<PartialPacket>()

  return {
    /** Packets that wait for fragments. */
    get size(): number {
      return open.size
    },
    /**
     * Adds a packet or a fragment.
     * @param now monotonic time in milliseconds
     * @param from the member that sent it: any of them may write the address of another one into a packet
     * @returns the packet when it is whole, or has become so with this fragment
     */
    add(packet: Ipv4Packet, now: number, from: number): Ipv4Packet | undefined {
      if (packet.offset === 0 && !packet.hasMore) return packet
      if (!isPossible(packet)) return undefined
      const key = `${from} ${packet.source} ${packet.target} ${packet.protocol} ${packet.id}`
      const partial = open.get(key, now) ?? open.start(key, from, newPartialPacket(), now)
      const outcome = take(partial, packet)
      if (outcome === 'incomplete') return undefined
      open.delete(key)
      if (outcome === 'invalid') return undefined
      return { ...packet, offset: 0, hasMore: false, payload: joinParts(partial) }
    },
  }
}

type PartialPacket = {
  /** By offset. */
  readonly parts: Map<number, Uint8Array>
  received: number
  /** Known once the last fragment has arrived. */
  length: number | undefined
}

function newPartialPacket(): PartialPacket {
  return { parts: new Map(), received: 0, length: undefined }
}

function isPossible({ offset, payload, hasMore }: Ipv4Packet): boolean {
  const isWithinPacket = payload.length > 0 && offset + payload.length <= MAX_PAYLOAD
  return isWithinPacket && (!hasMore || payload.length % 8 === 0)
}

/** `invalid`: the fragment contradicts the others. */
function take(
  partial: PartialPacket,
  { offset, payload, hasMore }: Ipv4Packet,
): 'complete' | 'incomplete' | 'invalid' {
  // A repetition.
  if (partial.parts.get(offset)?.length === payload.length) return 'incomplete'
  const end = offset + payload.length
  const length = hasMore ? (partial.length ?? MAX_PAYLOAD) : end
  if (end > length || partial.parts.size >= MAX_FRAGMENTS) return 'invalid'
  if (!hasMore && partial.length !== undefined && partial.length !== end) return 'invalid'
  if (!fitsBetween(partial.parts, offset, end, length)) return 'invalid'
  if (!hasMore) partial.length = end
  // A copy, because a view would keep the whole datagram or chunk alive.
  partial.parts.set(offset, Uint8Array.from(payload))
  partial.received += payload.length
  return partial.received === partial.length ? 'complete' : 'incomplete'
}

/** Whether no part overlaps the new one, or exceeds the length. */
function fitsBetween(
  parts: ReadonlyMap<number, Uint8Array>,
  offset: number,
  end: number,
  length: number,
): boolean {
  for (const [start, { length: size }] of parts) {
    const isOverlapping = start < end && offset < start + size
    if (isOverlapping || start + size > length) return false
  }
  return true
}

function joinParts({ parts, received }: PartialPacket): Uint8Array {
  const payload = new Uint8Array(received)
  for (const [offset, part] of parts) payload.set(part, offset)
  return payload
}
