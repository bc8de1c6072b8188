import { viewOf } from '@lantern-room/base/bytes'
import { LEAST_SEGMENT_DATA, type PacketSize } from './packetSize'
import { KCP_MTU, kcpCommands, SEGMENT_HEADER_SIZE, type SegmentHeader, writeSegmentHeader } from './segments'

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Memory for one packet: outboxes that are not in use at the same time can share it.
 * @param headroom bytes left free before the segments, for the caller's header
 */
export function createPacketBuffer(headroom: number) {
  const bytes = new Uint8Array(headroom + KCP_MTU)
  return { bytes, view: viewOf(bytes), headroom }
}

export type PacketBuffer = ReturnType<typeof createPacketBuffer>

/**
 * Packs segments into packets, and sends each packet as soon as the next segment does not fit into it.
 * @param send gets a view of the buffer that is valid only during the call
 * @param size of the packets that the path carries. A larger segment has a packet for itself, and what is no push goes in packets
 * that pass every path, since nothing tells whether it arrives.
 */
export function createOutbox(
  buffer: PacketBuffer,
  send: (packet: Uint8Array) => void,
  size: Pick<PacketSize, 'segmentData'>,
) {
  const { bytes, view, headroom } = buffer
  let end = headroom

  const finish = () => {
    if (end === headroom) return
    const packet = bytes.subarray(0, end)
    end = headroom
    send(packet)
  }

  return {
    /** Sends the packet that is being filled. To be called after the last `put` of a flush. */
    finish,
    /** Adds one segment, to a new packet when the current one has no room for it. */
    put(header: SegmentHeader, data: Uint8Array): void {
      const most = header.command === kcpCommands.push ? size.segmentData : LEAST_SEGMENT_DATA
      if (end + data.length > headroom + most) finish()
      writeSegmentHeader(view, end, header, data.length)
      bytes.set(data, end + SEGMENT_HEADER_SIZE)
      end += SEGMENT_HEADER_SIZE + data.length
    },
  }
}
