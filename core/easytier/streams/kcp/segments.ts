import { uint32At } from '../../uint32'
import { MAX_PATH_PAYLOAD } from '../../wire/packet'

export const kcpCommands = {
  push: 81,
  ack: 82,
  /** Asks for the other side's window. */
  ask: 83,
  /** Announces the own window, as an answer or unasked. */
  tell: 84,
  /** A part of a push whose path has become too small for it. Other programs ignore it, and so did this one before. */
  part: 85,
} as const

export const SEGMENT_HEADER_SIZE = 24
/** Before the segments of a packet. */
export const STREAM_HEADER_SIZE = 14
/** The limit for all segments that share a packet, in bytes. Real nodes fill 1200. */
export const KCP_MTU = MAX_PATH_PAYLOAD - STREAM_HEADER_SIZE
/**
 * Segments that a side takes beyond the last one that its application has read. Real nodes take 1,024, and send no more
 * whatever is announced: too few for a fast connection by TCP on which every loss costs a round trip.
 */
export const KCP_WINDOW = 2048

export type SegmentHeader = {
  readonly conv: number
  /** One of `kcpCommands`. */
  readonly command: number
  /** Segments that the sender of this can still take. */
  readonly window: number
  /** Milliseconds of the sender's clock, modulo 2^32; an ack repeats that of the push. */
  readonly timestamp: number
  readonly sequence: number
  /** All before this number have arrived. */
  readonly unacknowledged: number
}

/** The end of the segment that begins at `at`; undefined when it is incomplete or its command is unknown. */
export function segmentEnd(bytes: Uint8Array, at: number): number | undefined {
  const body = at + SEGMENT_HEADER_SIZE
  if (body > bytes.length) return undefined
  const command = bytes[at + 4]
  if (command === undefined) return undefined
  if (command < kcpCommands.push || command > kcpCommands.part || bytes[at + 5] !== 0) return undefined
  const end = body + uint32At(bytes, at + 20)
  return end > bytes.length ? undefined : end
}

export function writeSegmentHeader(view: DataView, at: number, segment: SegmentHeader, length: number): void {
  view.setUint32(at, segment.conv, true)
  view.setUint8(at + 4, segment.command)
  view.setUint8(at + 5, 0)
  view.setUint16(at + 6, segment.window, true)
  view.setUint32(at + 8, segment.timestamp, true)
  view.setUint32(at + 12, segment.sequence, true)
  view.setUint32(at + 16, segment.unacknowledged, true)
  view.setUint32(at + 20, length, true)
}

/** How far `a` is behind `b` in a circle of 2^32: positive when `a` comes later. */
export function distance(a: number, b: number): number {
  return (a - b) | 0
}
