import { createExpiringParts } from '../expiringParts'
import type { Ipv4Packet } from './ipv4'

export type Reassembly = {
  /**
   * Takes a packet or a fragment.
   * @param now milliseconds that never jump back
   * @returns the packet when it is whole, or with this fragment has become so
   */
  add(packet: Ipv4Packet, now: number): Ipv4Packet | undefined
  expire(now: number): void
  /** How many packets wait for fragments. */
  readonly size: number
}

export type ReassemblyLimits = {
  readonly maxAgeMs: number
  /** Beyond, the oldest is given up. */
  readonly maxOpen: number
  /** Of one source, so that none takes the place of the others. */
  readonly maxOpenPerSource: number
}

const MAX_PAYLOAD = 65_515
/** A packet in the smallest fragments that make sense; a flood of smaller ones is given up. */
const MAX_FRAGMENTS = 128

const defaults: ReassemblyLimits = { maxAgeMs: 10_000, maxOpen: 64, maxOpenPerSource: 16 }

/**
 * Joins fragments by source, target, protocol and id. Fragments that overlap are an attack or damage: the whole packet
 * is given up. Holds at most `maxOpen` packets of 64 KiB.
 */
export function createReassembly(limits: ReassemblyLimits = defaults): Reassembly {
  const open = createExpiringParts<Open>({ ...limits, maxOpenPerSender: limits.maxOpenPerSource })

  return {
    expire: open.expire,
    get size() {
      return open.size
    },
    add(packet, now) {
      if (packet.offset === 0 && !packet.hasMore) return packet
      open.expire(now)
      const key = `${packet.source} ${packet.target} ${packet.protocol} ${packet.id}`
      if (!isPossible(packet)) return undefined
      const waiting = open.get(key) ?? open.start(key, packet.source, newlyOpen(), now)
      if (waiting.parts.get(packet.offset)?.length === packet.payload.length) return undefined
      if (!take(waiting, packet)) {
        open.delete(key)
        return undefined
      }
      if (waiting.received !== waiting.length) return undefined
      open.delete(key)
      return { ...packet, offset: 0, hasMore: false, payload: joinParts(waiting, waiting.length) }
    },
  }
}

type Open = {
  /** By offset. */
  readonly parts: Map<number, Uint8Array>
  received: number
  /** Known once the last fragment is there. */
  length: number | undefined
}

function newlyOpen(): Open {
  return { parts: new Map(), received: 0, length: undefined }
}

function isPossible({ offset, payload, hasMore }: Ipv4Packet): boolean {
  const isWhole = payload.length > 0 && offset + payload.length <= MAX_PAYLOAD
  return isWhole && (!hasMore || payload.length % 8 === 0)
}

/** @returns false when the fragment does not fit to the others */
function take(waiting: Open, { offset, payload, hasMore }: Ipv4Packet): boolean {
  const end = offset + payload.length
  const isLast = !hasMore
  if (isLast && waiting.length !== undefined && waiting.length !== end) return false
  const length = isLast ? end : (waiting.length ?? MAX_PAYLOAD)
  for (const [start, part] of waiting.parts)
    if (start + part.length > length || (start < end && offset < start + part.length)) return false
  if (end > length || waiting.parts.size >= MAX_FRAGMENTS) return false
  if (isLast) waiting.length = end
  // A copy: a view would keep the datagram or chunk alive that brought it.
  waiting.parts.set(offset, Uint8Array.from(payload))
  waiting.received += payload.length
  return true
}

function joinParts({ parts }: Open, length: number): Uint8Array {
  const payload = new Uint8Array(length)
  for (const [offset, part] of parts) payload.set(part, offset)
  return payload
}
