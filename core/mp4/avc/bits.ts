import { concatBytes } from '@lantern-room/base/bytes'
import { numberAt } from '../source/reading'

export type BitReader = ReturnType<typeof readBits>

/**
 * Reads the bits of a unit's payload from the first one on; beyond the end there are zeros.
 * @param payload without emulation prevention bytes
 * @see ITU-T H.264, 7.2 and 9.1
 */
export function readBits(payload: Uint8Array) {
  let at = 0
  const bit = () => {
    const value = ((payload[at >> 3] ?? 0) >> (7 - (at & 7))) & 1
    at += 1
    return value
  }
  const bits = (count: number) => {
    let value = 0
    for (let index = 0; index < count; index++) value = value * 2 + bit()
    return value
  }
  return {
    /** Bits read so far. */
    position: () => at,
    /** An unsigned number of at most 32 bits, u(n). */
    bits,
    /** An Exp-Golomb code, ue(v), or the magnitude bits of se(v). */
    unsigned(): number {
      let zeros = 0
      while (zeros < 32 && bit() === 0) zeros += 1
      return 2 ** zeros - 1 + bits(zeros)
    },
  }
}

/** Bits that replace those from `from` up to `to` (not included) of a payload. */
export type BitChange = {
  readonly from: number
  readonly to: number
  readonly value: number
  readonly bits: number
}

/**
 * A payload with some of its bits replaced by others, perhaps fewer or more: what follows moves.
 * @param payload without emulation prevention bytes, ending with its stop bit and zeros up to a whole byte
 * @param changes in order, each of at most 32 bits
 * @returns the payload, again up to a whole byte
 * @throws RangeError when there is no stop bit
 * @see ITU-T H.264, 7.3.2.11
 */
export function replaceBits(payload: Uint8Array, changes: readonly BitChange[]): Uint8Array {
  const end = endOfBits(payload)
  const growth = changes.reduce((sum, { from, to, bits }) => sum + bits - (to - from), 0)
  const written = new Uint8Array(Math.ceil((end + growth) / 8))
  let at = 0
  let next = 0
  for (const { from, to, value, bits } of changes) {
    copyBits(payload, next, written, at, from - next)
    at += from - next
    for (let index = bits - 1; index >= 0; index--, at++) {
      if (Math.floor(value / 2 ** index) % 2 === 1)
        written[at >> 3] = (written[at >> 3] ?? 0) | (0x80 >> (at & 7))
    }
    next = to
  }
  copyBits(payload, next, written, at, end - next)
  return written
}

/** Where the bits of a payload end: after the stop bit, the last one that is set. */
function endOfBits(payload: Uint8Array): number {
  let last = payload.length - 1
  while (last >= 0 && payload[last] === 0) last -= 1
  if (last < 0) throw new RangeError('the payload of a unit has no stop bit')
  const zeros = 31 - Math.clz32(numberAt(payload, last) & -numberAt(payload, last))
  return (last + 1) * 8 - zeros
}

/** Copies bits to a place whose bits are still zero. */
function copyBits(source: Uint8Array, from: number, target: Uint8Array, to: number, count: number): void {
  let at = from
  let into = to
  const end = from + count
  // Up to a whole byte of the target, so that the rest is written byte by byte.
  while (at < end && (into & 7) !== 0) copyBit(source, at++, target, into++)
  const shift = at & 7
  let byte = at >> 3
  let place = into >> 3
  for (; end - at >= 8; at += 8, into += 8, byte++, place++) {
    target[place] = ((source[byte] ?? 0) << shift) | ((source[byte + 1] ?? 0) >> (8 - shift))
  }
  while (at < end) copyBit(source, at++, target, into++)
}

function copyBit(source: Uint8Array, from: number, target: Uint8Array, to: number): void {
  const value = ((source[from >> 3] ?? 0) >> (7 - (from & 7))) & 1
  target[to >> 3] = (target[to >> 3] ?? 0) | (value << (7 - (to & 7)))
}

/** The payload of a unit, without the bytes that keep start codes from appearing in it. @see ITU-T H.264, 7.3.1 */
export function withoutEmulationPrevention(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let from = 0
  for (let at = bytes.indexOf(3, 2); at !== -1; at = bytes.indexOf(3, at + 1)) {
    // A zero before `from` belongs to an earlier pair.
    if (bytes[at - 1] !== 0 || bytes[at - 2] !== 0 || at - 2 < from) continue
    parts.push(bytes.subarray(from, at))
    from = at + 1
  }
  return from === 0 ? bytes : concatBytes([...parts, bytes.subarray(from)])
}

const PREVENTION = Uint8Array.of(3)

/** The reverse of `withoutEmulationPrevention`. @see ITU-T H.264, 7.4.1.1 */
export function withEmulationPrevention(payload: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let from = 0
  for (let at = payload.indexOf(0); at !== -1; at = payload.indexOf(0, at + 1)) {
    if (payload[at + 1] !== 0 || (payload[at + 2] ?? 4) > 3) continue
    parts.push(payload.subarray(from, at + 2), PREVENTION)
    from = at + 2
    at += 1
  }
  return concatBytes([...parts, payload.subarray(from)])
}
