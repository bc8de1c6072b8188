/** Thrown inside the decoder for invalid data; `decodeZstd` turns it into undefined. */
export class BadZstd extends Error {}

/** Bits from the first byte on, lowest bit first. */
export type ForwardBits = {
  /** @param count up to 24 */
  read(count: number): number
  unread(count: number): void
  /** Position of the next whole byte. */
  end(): number
}

export function forwardBits(bytes: Uint8Array, start: number): ForwardBits {
  let at = start * 8
  return {
    read(count) {
      const value = bitsAt(bytes, at, count)
      at += count
      if (at > bytes.length * 8) throw new BadZstd('a table is truncated')
      return value
    },
    unread(count) {
      at -= count
    },
    end: () => (at + 7) >> 3,
  }
}

/** Bits from the end backwards: the highest set bit of the last byte marks the position before the first one. */
export type BackwardBits = {
  /** How many bits are left; negative once more was read than there is, which reads as zeros. */
  readonly left: number
  /** @param count up to 24 */
  read(count: number): number
  /** The next bits without taking them; zeros where there are none. */
  peek(count: number): number
  skip(count: number): void
}

export function backwardBits(bytes: Uint8Array): BackwardBits {
  const last = bytes[bytes.length - 1] ?? 0
  if (last === 0) throw new BadZstd('a bit stream has no end mark')
  let left = bytes.length * 8 - 8 + highestBit(last)

  const peek = (count: number) => {
    if (left >= count) return bitsAt(bytes, left - count, count)
    return left <= 0 ? 0 : bitsAt(bytes, 0, left) << (count - left)
  }
  return {
    get left() {
      return left
    },
    peek,
    read(count) {
      const value = peek(count)
      left -= count
      return value
    },
    skip(count) {
      left -= count
    },
  }
}

/** The position of the highest set bit: 0 for 1, 7 for 255. */
export function highestBit(value: number): number {
  return 31 - Math.clz32(value)
}

/** `count` bits (up to 24) from bit `at` on. */
function bitsAt(bytes: Uint8Array, at: number, count: number): number {
  const byte = at >> 3
  const four =
    (bytes[byte] ?? 0) |
    ((bytes[byte + 1] ?? 0) << 8) |
    ((bytes[byte + 2] ?? 0) << 16) |
    ((bytes[byte + 3] ?? 0) << 24)
  return (four >>> (at & 7)) & ((1 << count) - 1)
}
