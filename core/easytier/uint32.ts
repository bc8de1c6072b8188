/** Numbers of packets, which are little-endian. */

/**
 * An unsigned little-endian number of four bytes; bytes beyond the end count as 0. For a few numbers a DataView would
 * cost more.
 * @param at the offset of its first byte
 * @example const sender = uint32At(packet, 0)
 */
export function uint32At(bytes: Uint8Array, at: number): number {
  const high = (bytes[at + 3] ?? 0) << 24
  return (high | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at] ?? 0)) >>> 0
}

/**
 * Writes an unsigned number in four bytes, little-endian. Bytes beyond the end are lost.
 * @param at the offset of its first byte
 * @example writeUint32(packet, 4, receiver)
 */
export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value
  bytes[at + 1] = value >>> 8
  bytes[at + 2] = value >>> 16
  bytes[at + 3] = value >>> 24
}
