import { concatBytes } from '@lantern-room/base/bytes'
import { uint32At, writeUint32 } from '../uint32'
import { MAX_PACKET_SIZE, PACKET_HEADER_SIZE } from './packet'

/** Packets on a TCP connection: each is preceded by its length, u32 little-endian. */

const PREFIX_SIZE = 4

/**
 * Bytes of a packet's frame.
 * @example
 * const chunk = new Uint8Array(frameSize(packet))
 */
export function frameSize(packet: Uint8Array): number {
  return PREFIX_SIZE + packet.length
}

/**
 * Writes a frame for a TCP connection to `into`, which has room for it from the byte `at` on.
 * @example
 * writeTcpFrame(packet, chunk, 0)
 */
export function writeTcpFrame(packet: Uint8Array, into: Uint8Array, at: number): void {
  writeUint32(into, at, packet.length)
  into.set(packet, at + PREFIX_SIZE)
}

/**
 * Reads the frames of one connection. It never holds more than one packet besides the current chunk.
 * @example
 * const reader = createPacketReader()
 * socket.on('data', (chunk) => reader.push(chunk, onPacket) || socket.destroy())
 */
export function createPacketReader() {
  /** The beginning of an incomplete frame. */
  let held = new Uint8Array(0)
  let isBroken = false

  return {
    /**
     * Takes bytes of a socket and hands out each packet that is complete, as a view that is not written to later (unless
     * the caller reuses `chunk`).
     * @returns false once a length was outside 16–2000: nothing more is read, the connection is to be closed
     */
    push(chunk: Uint8Array, onPacket: (packet: Uint8Array) => void): boolean {
      if (isBroken) return false
      const bytes = held.length > 0 ? concatBytes([held, chunk]) : chunk
      let at = 0
      while (bytes.length - at >= PREFIX_SIZE) {
        const length = uint32At(bytes, at)
        isBroken = length < PACKET_HEADER_SIZE || length > MAX_PACKET_SIZE
        const end = at + PREFIX_SIZE + length
        if (isBroken || end > bytes.length) break
        onPacket(bytes.subarray(at + PREFIX_SIZE, end))
        at = end
      }
      // A copy, because a view would keep the whole chunk alive for a few bytes.
      held = Uint8Array.from(bytes.subarray(at))
      return !isBroken
    },
  }
}
