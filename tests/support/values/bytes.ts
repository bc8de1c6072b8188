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
