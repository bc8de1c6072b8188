import { viewOf } from '@lantern-room/base/bytes'
import {
  SEGMENT_HEADER_SIZE,
  type SegmentHeader,
  segmentEnd,
  writeSegmentHeader,
} from '#internal/easytier/streams/kcp/segments'

export type KcpSegment = SegmentHeader & { readonly data: Uint8Array }

/**
 * Segments of one packet.
 * @param data a view for each segment, no copy
 * @returns undefined when a segment is truncated, its command is unknown, it is a piece of a message (`frg`, unused in
 *   stream mode), or bytes are left over
 */
export function decodeSegments(bytes: Uint8Array): KcpSegment[] | undefined {
  const view = viewOf(bytes)
  const segments: KcpSegment[] = []
  let at = 0
  while (at < bytes.length) {
    const end = segmentEnd(bytes, at)
    if (end === undefined) return undefined
    segments.push({
      conv: view.getUint32(at, true),
      command: view.getUint8(at + 4),
      window: view.getUint16(at + 6, true),
      timestamp: view.getUint32(at + 8, true),
      sequence: view.getUint32(at + 12, true),
      unacknowledged: view.getUint32(at + 16, true),
      data: bytes.subarray(at + SEGMENT_HEADER_SIZE, end),
    })
    at = end
  }
  return segments
}

/** Segments one after another, as they share a packet. */
export function encodeSegments(segments: readonly KcpSegment[]): Uint8Array {
  const size = segments.reduce((sum, { data }) => sum + SEGMENT_HEADER_SIZE + data.length, 0)
  const bytes = new Uint8Array(size)
  const view = viewOf(bytes)
  let at = 0
  for (const segment of segments) {
    writeSegmentHeader(view, at, segment, segment.data.length)
    bytes.set(segment.data, at + SEGMENT_HEADER_SIZE)
    at += SEGMENT_HEADER_SIZE + segment.data.length
  }
  return bytes
}
