import { concatBytes } from '@lantern-room/base/bytes'
import { costOf, createMemoryBudget, type MemoryBudget } from './memoryBudget'
import { KCP_MTU } from './segments'

/** Before the bytes of a part: its place among the parts of its segment, and how many these are. */
const PART_HEADER_SIZE = 2
/** The largest segment in parts of the smallest size makes three. */
const MAX_PARTS = 4
/** Segments of one conversation of which parts are missing. */
const MAX_OPEN = 32

type OpenSegment = { readonly parts: (Uint8Array | undefined)[]; missing: number; cost: number }

/** The bodies of the packets that carry a segment in parts. @param size of each body at most, in bytes */
export function cutSegment(data: Uint8Array, size: number): Uint8Array[] {
  const step = size - PART_HEADER_SIZE
  const count = Math.ceil(data.length / step)
  return Array.from({ length: count }, (_, index) => {
    const bytes = data.subarray(index * step, (index + 1) * step)
    const part = new Uint8Array(PART_HEADER_SIZE + bytes.length)
    part[0] = index
    part[1] = count
    part.set(bytes, PART_HEADER_SIZE)
    return part
  })
}

/**
 * Joins the parts of segments that were cut because the path has become too small for them.
 * @see docs/network/streams.md, "The size of packets"
 */
export class SegmentParts {
  /** By sequence number, the oldest first. */
  readonly #open = new Map<number, OpenSegment>()
  readonly #budget: MemoryBudget

  /** @param budget of the conversation's receiver: what waits for further parts counts as what waits to be read */
  constructor(budget: MemoryBudget = createMemoryBudget(4_000_000)) {
    this.#budget = budget
  }

  /** Segments of which parts are missing. */
  get size(): number {
    return this.#open.size
  }

  /** @returns the segment's data with its last part; malformed parts are ignored */
  add(sequence: number, body: Uint8Array): Uint8Array | undefined {
    const [index = 0, count = 0] = body
    const length = body.length - PART_HEADER_SIZE
    if (length <= 0 || length > KCP_MTU || count > MAX_PARTS || index >= count) return undefined
    // One is taken all the same: a peer that spends the budget must not stop the streams of others.
    if (this.#budget.isSpent() && !this.#open.has(sequence) && this.#open.size > 0) return undefined
    const segment = this.#segment(sequence, count)
    if (!segment.parts[index]) {
      segment.missing -= 1
      segment.cost += costOf(1, length)
      this.#budget.take(costOf(1, length))
      // A copy: the packet is a part of something larger.
      segment.parts[index] = body.slice(PART_HEADER_SIZE)
    }
    if (segment.missing > 0) return undefined
    this.#forget(sequence)
    return concatBytes(segment.parts.flatMap((part) => part ?? []))
  }

  /** To be called when no more parts will come. */
  clear(): void {
    for (const sequence of [...this.#open.keys()]) this.#forget(sequence)
  }

  #segment(sequence: number, count: number): OpenSegment {
    const before = this.#open.get(sequence)
    // Cut anew, to other sizes, it has another number of parts.
    if (before?.parts.length === count) return before
    this.#forget(sequence)
    for (const oldest of this.#open.keys()) if (this.#open.size >= MAX_OPEN) this.#forget(oldest)
    const parts = new Array<Uint8Array | undefined>(count).fill(undefined)
    const segment = { parts, missing: count, cost: 0 }
    this.#open.set(sequence, segment)
    return segment
  }

  #forget(sequence: number): void {
    this.#budget.release(this.#open.get(sequence)?.cost ?? 0)
    this.#open.delete(sequence)
  }
}
