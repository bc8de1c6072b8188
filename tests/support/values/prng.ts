/** Chance that can be repeated: the same seed gives the same numbers. Nothing for secrets. */
export type Prng = {
  /** From 0 up to 1. */
  next(): number
  /** A whole number from `min` to `max`. */
  integer(min: number, max: number): number
  isTrue(probability: number): boolean
  pick<T>(choices: readonly [T, ...T[]]): T
  bytes(size: number): Uint8Array
  /** The same bytes one by one. */
  forward(): () => number
  /** Another one, whose numbers do not depend on how many were taken of this one before. */
  fork(name: string): Prng
}

/** mulberry32. */
export function createPrng(seed: number): Prng {
  let state = seed >>> 0

  const word = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const next = () => word() / 2 ** 32
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))

  return {
    next,
    integer,
    isTrue: (probability) => next() < probability,
    pick: (choices) => choices[integer(0, choices.length - 1)] ?? choices[0],
    bytes(size) {
      const bytes = new Uint8Array(size)
      for (let at = 0; at < size; at += 4) {
        const value = word()
        for (let part = 0; part < 4 && at + part < size; part += 1) bytes[at + part] = value >>> (part * 8)
      }
      return bytes
    },
    forward() {
      let value = 0
      let left = 0
      return () => {
        if (left === 0) {
          value = word()
          left = 4
        }
        left -= 1
        const byte = value & 0xff
        value >>>= 8
        return byte
      }
    },
    fork: (name) => createPrng(hashOf(`${seed} ${name}`)),
  }
}

/** FNV-1a with a final mix. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 15
  return Math.imul(hash, 0x85ebca6b) >>> 0
}
