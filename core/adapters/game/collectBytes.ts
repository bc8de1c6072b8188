export type CollectedBytes = {
  /** @returns false, and takes nothing, when it would be more than the limit */
  add(bytes: Uint8Array): boolean
  /** All so far, as a view that is valid until the next `add`. */
  bytes(): Uint8Array
}

/** Joins the chunks of a stream. The buffer doubles when it is full, so that single bytes do not cause a copy of everything each time. */
export function collectBytes(limit: number): CollectedBytes {
  let buffer = new Uint8Array(4096)
  let length = 0
  return {
    add(bytes) {
      if (length + bytes.length > limit) return false
      if (length + bytes.length > buffer.length) {
        const larger = new Uint8Array(Math.max(2 * buffer.length, length + bytes.length))
        larger.set(buffer.subarray(0, length))
        buffer = larger
      }
      buffer.set(bytes, length)
      length += bytes.length
      return true
    },
    bytes: () => buffer.subarray(0, length),
  }
}
