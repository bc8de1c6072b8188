import { concatBytes, viewOf } from '../../../bytes'
import { MAX_PACKET_SIZE, PACKET_HEADER_SIZE } from './packet'

/** Packets on a TCP connection: each with its length before it, u32 little-endian. */

const PREFIX_SIZE = 4

/** A frame for a TCP connection. */
export function encodeTcpFrame(packet: Uint8Array): Uint8Array {
  return encodeTcpFrames([packet])
}

/** Several frames in one piece of memory, so that they leave in one write. */
export function encodeTcpFrames(packets: readonly Uint8Array[]): Uint8Array {
  const frames = new Uint8Array(packets.reduce((size, packet) => size + PREFIX_SIZE + packet.length, 0))
  const view = viewOf(frames)
  let at = 0
  for (const packet of packets) {
    view.setUint32(at, packet.length, true)
    frames.set(packet, at + PREFIX_SIZE)
    at += PREFIX_SIZE + packet.length
  }
  return frames
}

export type FrameReader = {
  /**
   * Takes what a socket gave and hands out each packet that is whole by now, as a view that nobody writes to later
   * (unless the caller reuses `chunk`).
   * @returns false once a length was outside 16–2000: nothing more is read, the connection is to be closed
   */
  push(chunk: Uint8Array, onPacket: (packet: Uint8Array) => void): boolean
}

/** Reads the frames of one connection. It never holds more than one packet beside the chunk at hand. */
export function createFrameReader(): FrameReader {
  let rest: Uint8Array = new Uint8Array(0)
  let isBroken = false

  return {
    push(chunk, onPacket) {
      if (isBroken) return false
      const bytes = rest.length === 0 ? chunk : concatBytes([rest, chunk])
      const view = viewOf(bytes)
      let at = 0
      while (bytes.length - at >= PREFIX_SIZE) {
        const length = view.getUint32(at, true)
        if (length < PACKET_HEADER_SIZE || length > MAX_PACKET_SIZE) {
          isBroken = true
          rest = new Uint8Array(0)
          return false
        }
        const end = at + PREFIX_SIZE + length
        if (end > bytes.length) break
        onPacket(bytes.subarray(at + PREFIX_SIZE, end))
        at = end
      }
      // A copy: a view would keep the whole chunk alive for the sake of a few bytes.
      rest = bytes.slice(at)
      return true
    },
  }
}
