import { createHash } from 'node:crypto'

/** The same bytes each time for the same size, no two neighbourhoods alike. */
export function noise(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  const seed = createHash('sha512').update(String(size)).digest()
  for (let at = 0; at < size; at++) bytes[at] = (seed[at % 64] ?? 0) ^ (at >> 6) ^ (at >> 14)
  return bytes
}

export function text(value: string): Uint8Array {
  return new TextEncoder().encode(value)
}

/** A copy with one bit changed, counted from the lowest of the first byte. */
export function withBitChanged(bytes: Uint8Array, bit: number): Uint8Array {
  return bytes.with(bit >> 3, (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)))
}
