/** Bytes that arrive in pieces and are taken from the front. */
export type ByteBuffer = {
  size(): number
  /** All bytes, as a view that is valid until the next `append`. */
  view(): Uint8Array
  /** The buffer may keep the array itself, which must not change afterwards. */
  append(bytes: Uint8Array): void
  /** Removes bytes from the front. */
  drop(length: number): void
}

/** The memory doubles when it is full, so that a sender of single bytes does not cause a copy for each of them. */
export function createByteBuffer(): ByteBuffer {
  let memory: Uint8Array = new Uint8Array(0)
  let start = 0
  let end = 0

  return {
    size: () => end - start,
    view: () => memory.subarray(start, end),
    append,
    drop(length) {
      start = Math.min(end, start + length)
    },
  }

  function append(bytes: Uint8Array): void {
    if (start === end) {
      memory = bytes
      start = 0
      end = bytes.length
      return
    }
    if (end + bytes.length > memory.length) grow(bytes.length)
    memory.set(bytes, end)
    end += bytes.length
  }

  function grow(needed: number): void {
    const size = end - start
    const larger = new Uint8Array(Math.max(2 * size, size + needed))
    larger.set(memory.subarray(start, end))
    memory = larger
    start = 0
    end = size
  }
}
