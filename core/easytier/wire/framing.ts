import { uint32At, writeUint32 } from '#core/bytes'
import { MAX_PACKET_SIZE, PACKET_HEADER_SIZE } from './packet'

/** Packets on a TCP connection: each is preceded by its length, u32 little-endian. */

const PREFIX_SIZE = 4

/** Bytes of a packet's frame. */
export function frameSize(packet: Uint8Array): number {
  return PREFIX_SIZE + packet.length
}

/** Writes a frame for a TCP connection to `into`, which has room for it from `at` on. */
export function writeTcpFrame(packet: Uint8Array, into: Uint8Array, at: number): void {
  writeUint32(into, at, packet.length)
  into.set(packet, at + PREFIX_SIZE)
}

/** Reads the frames of one connection. It never holds more than one packet besides the current chunk. */
export function createPacketReader() {
  /** The beginning of an incomplete frame, `held` bytes in memory of its own. */
  let frame = new Uint8Array(0)
  let held = 0
  let isBroken = false

  return {
    /**
     * Takes bytes of a socket and hands out each packet that is complete, as a view that is not written to later (unless
     * the caller reuses `chunk`).
     * @returns false once a length was outside 16–2000: nothing more is read, the connection is to be closed
     */
    push(chunk: Uint8Array, onPacket: (packet: Uint8Array) => void): boolean {
      const start = held > 0 ? complete(chunk, onPacket) : 0
      const rest = isBroken ? chunk.length : readWhole(chunk, start, onPacket)
      if (!isBroken && rest < chunk.length) hold(chunk.subarray(rest))
      return !isBroken
    },
  }

  /** Hands out the packets that are whole in this chunk. @returns where the next one begins */
  function readWhole(chunk: Uint8Array, start: number, onPacket: (packet: Uint8Array) => void): number {
    let at = start
    while (chunk.length - at >= PREFIX_SIZE) {
      const end = at + PREFIX_SIZE + lengthAt(chunk, at)
      if (isBroken || end > chunk.length) break
      onPacket(chunk.subarray(at + PREFIX_SIZE, end))
      at = end
    }
    return at
  }

  /** A copy, because a view would keep the whole chunk alive for a few bytes. */
  function hold(bytes: Uint8Array): void {
    if (held === 0) frame = new Uint8Array(PREFIX_SIZE + MAX_PACKET_SIZE)
    frame.set(bytes, held)
    held += bytes.length
  }

  /** Completes the frame that has begun. @returns where the next one begins in the chunk */
  function complete(chunk: Uint8Array, onPacket: (packet: Uint8Array) => void): number {
    const start = Math.min(chunk.length, Math.max(0, PREFIX_SIZE - held))
    hold(chunk.subarray(0, start))
    if (held < PREFIX_SIZE) return start
    const end = PREFIX_SIZE + lengthAt(frame, 0)
    if (isBroken) return start
    const stop = Math.min(chunk.length, start + end - held)
    hold(chunk.subarray(start, stop))
    if (held < end) return stop
    const packet = frame.subarray(PREFIX_SIZE, end)
    held = 0
    onPacket(packet)
    return stop
  }

  function lengthAt(bytes: Uint8Array, at: number): number {
    const length = uint32At(bytes, at)
    isBroken ||= length < PACKET_HEADER_SIZE || length > MAX_PACKET_SIZE
    return length
  }
}
