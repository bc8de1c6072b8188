/** The game's variable-length integers: seven bits per byte, lowest first; the top bit says that more follow. */

/** @param value an integer of 32 bits, signed or not; a negative one takes five bytes */
export function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value >>> 0
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

/**
 * Reads one as a signed 32-bit integer.
 * @returns the value and where it ends; `partial` when it continues after the bytes; `invalid` beyond five bytes or
 * 32 bits
 */
export function decodeVarint(
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly end: number } | 'partial' | 'invalid' {
  let value = 0
  for (let index = 0; index < 5; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) return 'partial'
    if (index === 4 && byte > 0x0f) return 'invalid'
    value |= (byte & 0x7f) << (7 * index)
    if (byte < 0x80) return { value, end: at + index + 1 }
  }
  return 'invalid'
}
