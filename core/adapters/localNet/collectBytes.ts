export type CollectedBytes = {
  /** @returns false, and adds nothing, when it would exceed the limit */
  add(bytes: Uint8Array): boolean
  /** All so far, as a view that is valid until the next `add`. */
  bytes(): Uint8Array
}

/**
 * Joins bytes that arrive in pieces. The buffer doubles, so that a sender of single bytes does not make us copy all
 * of them each time.
 */
export function collectBytes(limit: number): CollectedBytes {
  let room = new Uint8Array(4096)
  let length = 0
  return {
    add(bytes) {
      if (length + bytes.length > limit) return false
      if (length + bytes.length > room.length) {
        const larger = new Uint8Array(Math.max(2 * room.length, length + bytes.length))
        larger.set(room.subarray(0, length))
        room = larger
      }
      room.set(bytes, length)
      length += bytes.length
      return true
    },
    bytes: () => room.subarray(0, length),
  }
}
