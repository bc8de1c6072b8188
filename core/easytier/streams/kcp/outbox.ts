import { viewOf } from '#core/bytes'
import { KCP_MTU, SEGMENT_HEADER_SIZE, writeSegmentHeader } from './segments'

/** Collects segments until a packet is full. */
export type Outbox = {
  /** What lies before the segments of every packet. */
  readonly headroom: Uint8Array
  /** Adds one segment; a packet without room for it leaves first. */
  put(
    conv: number,
    command: number,
    window: number,
    timestamp: number,
    sequence: number,
    una: number,
    data: Uint8Array,
  ): void
  /** Sends what is in it. */
  finish(): void
}

/**
 * One buffer serves for all packets: `emit` gets a view that holds only during the call.
 * @param headroom bytes before the segments
 */
export function createOutbox(headroom: number, emit: (packet: Uint8Array) => void): Outbox {
  const bytes = new Uint8Array(headroom + KCP_MTU)
  const view = viewOf(bytes)
  const header = { conv: 0, command: 0, window: 0, timestamp: 0, sequence: 0, unacknowledged: 0 }
  let end = headroom

  const finish = () => {
    if (end === headroom) return
    const packet = bytes.subarray(0, end)
    end = headroom
    emit(packet)
  }

  return {
    headroom: bytes.subarray(0, headroom),
    finish,
    put(conv, command, window, timestamp, sequence, una, data) {
      if (end + SEGMENT_HEADER_SIZE + data.length > bytes.length) finish()
      header.conv = conv
      header.command = command
      header.window = window
      header.timestamp = timestamp
      header.sequence = sequence
      header.unacknowledged = una
      writeSegmentHeader(view, end, header, data.length)
      bytes.set(data, end + SEGMENT_HEADER_SIZE)
      end += SEGMENT_HEADER_SIZE + data.length
    },
  }
}
