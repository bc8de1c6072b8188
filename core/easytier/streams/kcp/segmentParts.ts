import { concatBytes, setNewest } from '@lantern-room/base'
import { KCP_MTU } from './segments'

/** Before the bytes of a part: its place among the parts of its segment, and how many these are. */
const PART_HEADER_SIZE = 2
/** The largest segment in parts of the smallest size makes three. */
const MAX_PARTS = 4
/** Segments of one conversation of which parts are missing. */
const MAX_OPEN = 32

type OpenSegment = { readonly parts: (Uint8Array | undefined)[]; missing: number }

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

  /** Segments of which parts are missing. */
  get size(): number {
    return this.#open.size
  }

  /** @returns the segment's data with its last part; malformed parts are ignored */
  add(sequence: number, body: Uint8Array): Uint8Array | undefined {
    const [index = 0, count = 0] = body
    const length = body.length - PART_HEADER_SIZE
    if (length <= 0 || length > KCP_MTU || count > MAX_PARTS || index >= count) return undefined
    const segment = this.#segment(sequence, count)
    if (!segment.parts[index]) segment.missing -= 1
    // A copy: the packet is a part of something larger.
    segment.parts[index] = body.slice(PART_HEADER_SIZE)
    if (segment.missing > 0) return undefined
    this.#open.delete(sequence)
    return concatBytes(segment.parts.flatMap((part) => part ?? []))
  }

  #segment(sequence: number, count: number): OpenSegment {
    const before = this.#open.get(sequence)
    // Cut anew, to other sizes, it has another number of parts.
    if (before?.parts.length === count) return before
    const segment = { parts: new Array<Uint8Array | undefined>(count).fill(undefined), missing: count }
    setNewest(this.#open, sequence, segment, MAX_OPEN)
    return segment
  }
}
