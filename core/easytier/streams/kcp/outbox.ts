import { viewOf } from '#core/bytes'
import { KCP_MTU, SEGMENT_HEADER_SIZE, writeSegmentHeader } from './segments'

/** Packs segments into packets. Its buffers are reused: packets hold until the first `put` after `take`. */
export type Outbox = {
  /** Adds one segment, to a new packet when the current one has no room for it. */
  put(
    conv: number,
    command: number,
    window: number,
    timestamp: number,
    sequence: number,
    una: number,
    data: Uint8Array,
  ): void
  /** The packets filled since the last call. The array, too, is valid until the next `put`. */
  take(): readonly Uint8Array[]
}

type PacketBuffer = { readonly bytes: Uint8Array; readonly view: DataView }

/** @param headroom bytes left free before the segments of each packet, for the caller's header */
export function createOutbox(headroom: number): Outbox {
  const buffers: PacketBuffer[] = []
  const packets: Uint8Array[] = []
  const header = { conv: 0, command: 0, window: 0, timestamp: 0, sequence: 0, unacknowledged: 0 }
  let current: PacketBuffer | undefined
  let end = 0
  let isTaken = false

  const closePacket = () => {
    if (!current) return
    packets.push(end === current.bytes.length ? current.bytes : current.bytes.subarray(0, end))
    current = undefined
  }
  const startPacket = (): PacketBuffer => {
    closePacket()
    let buffer = buffers[packets.length]
    if (!buffer) {
      const bytes = new Uint8Array(headroom + KCP_MTU)
      buffer = { bytes, view: viewOf(bytes) }
      buffers.push(buffer)
    }
    current = buffer
    end = headroom
    return buffer
  }

  return {
    put(conv, command, window, timestamp, sequence, una, data) {
      if (isTaken) {
        packets.length = 0
        isTaken = false
      }
      const size = SEGMENT_HEADER_SIZE + data.length
      const { bytes, view } = current && end + size <= current.bytes.length ? current : startPacket()
      header.conv = conv
      header.command = command
      header.window = window
      header.timestamp = timestamp
      header.sequence = sequence
      header.unacknowledged = una
      writeSegmentHeader(view, end, header, data.length)
      bytes.set(data, end + SEGMENT_HEADER_SIZE)
      end += size
    },
    take() {
      // Nothing was put since the last call.
      if (isTaken) packets.length = 0
      closePacket()
      isTaken = true
      return packets
    },
  }
}
