import { viewOf } from '@lantern-room/base/bytes'

const MASK = 0xffff_ffff_ffff_ffffn

/**
 * SipHash-1-3 under the all-zero key, as Rust's default hasher computes it for a byte string. It is fast, so that
 * inputs can be guessed: it protects nothing by itself.
 * @returns the 64-bit hash, big-endian
 */
export function sipHash13(bytes: Uint8Array): Uint8Array {
  let v0 = 0x736f6d6570736575n
  let v1 = 0x646f72616e646f6dn
  let v2 = 0x6c7967656e657261n
  let v3 = 0x7465646279746573n
  const round = () => {
    v0 = (v0 + v1) & MASK
    v1 = rotate(v1, 13n) ^ v0
    v0 = rotate(v0, 32n)
    v2 = (v2 + v3) & MASK
    v3 = rotate(v3, 16n) ^ v2
    v0 = (v0 + v3) & MASK
    v3 = rotate(v3, 21n) ^ v0
    v2 = (v2 + v1) & MASK
    v1 = rotate(v1, 17n) ^ v2
    v2 = rotate(v2, 32n)
  }
  for (const word of wordsOf(bytes)) {
    v3 ^= word
    round()
    v0 ^= word
  }
  v2 ^= 0xffn
  round()
  round()
  round()
  const hash = new Uint8Array(8)
  viewOf(hash).setBigUint64(0, v0 ^ v1 ^ v2 ^ v3)
  return hash
}

/** Little-endian words; the last one holds the remaining bytes and, in its top byte, the length modulo 256. */
function wordsOf(bytes: Uint8Array): bigint[] {
  const padded = new Uint8Array((bytes.length & ~7) + 8)
  padded.set(bytes)
  padded[padded.length - 1] = bytes.length
  const view = viewOf(padded)
  return Array.from({ length: padded.length / 8 }, (_, i) => view.getBigUint64(i * 8, true))
}

function rotate(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & MASK
}
