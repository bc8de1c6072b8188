/**
 * Bytes that arrive in pieces and are taken from the front.
 * The memory doubles when it is full, so that a sender of single bytes does not cause a copy for each of them. It has no limit
 * of its own: a caller that reads from a peer checks `size`.
 * @example
 * const received = createByteBuffer()
 * received.append(piece)
 * const request = decodeRequest(received.view()) // undefined: a part of it is still missing
 * if (request) received.drop(request.length)
 */
export function createByteBuffer() {
  let memory = NOTHING
  let start = 0
  let end = 0
  /** How much was there when it was last emptied: a busy stream's memory need not grow to that again step by step. */
  let usual = 0

  return {
    /** How many bytes have been appended and not dropped. */
    size: (): number => end - start,
    /** All bytes, as a view that is valid until the next `append`. */
    view: (): Uint8Array => memory.subarray(start, end),
    append,
    /** Removes bytes from the front. */
    drop(length: number): void {
      start = Math.min(end, start + length)
      // The memory belongs to whoever has taken the last bytes.
      if (start < end) return
      usual = Math.min(end, MAX_USUAL)
      memory = NOTHING
    },
  }

  /** The buffer may keep the array itself, which must not change afterwards. */
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
    const larger = new Uint8Array(Math.max(2 * size, size + needed, usual))
    larger.set(memory.subarray(start, end))
    memory = larger
    start = 0
    end = size
  }
}

const MAX_USUAL = 64 * 1024
const NOTHING: Uint8Array = new Uint8Array(0)
