import { decodeZstd } from './zstd/frame'

/** The largest IP packet, and so the largest payload. */
const MAX_PAYLOAD_SIZE = 65_535
/** Last byte of a payload that zstd has compressed. */
const ZSTD_MARKER = 1

/**
 * The payload of a packet with the flag COMPRESSED: a zstd frame, then one byte for the algorithm.
 * @param plainLength as the header claims; the result has exactly this length
 * @returns undefined for another algorithm, a damaged frame, or a length that differs or is beyond 65,535
 */
export function openCompressed(payload: Uint8Array, plainLength: number): Uint8Array | undefined {
  const end = payload.length - 1
  if (end < 0 || payload[end] !== ZSTD_MARKER || plainLength > MAX_PAYLOAD_SIZE) return undefined
  const plain = decodeZstd(payload.subarray(0, end), plainLength)
  return plain?.length === plainLength ? plain : undefined
}
