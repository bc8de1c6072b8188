/** Pieces from this size on are kept as they are: their bookkeeping costs less than a copy. */
const KEPT = 4096
/** Small pieces share memory of at most this size, in bytes. */
const MAX_SHARED = 64 * 1024

/**
 * Bytes that arrive in pieces and leave in others, in the same order. Unlike a byte buffer it never moves what it holds: a large
 * piece is kept, and small ones are copied together. It has no limit of its own: a caller that takes from a peer checks `size`.
 * @example
 * const queue = new ByteQueue()
 * queue.append(piece)
 * while (queue.size > 0) send(queue.take(1142))
 */
export class ByteQueue {
  readonly #pieces: Uint8Array[] = []
  /** Bytes of the first piece that have been taken. */
  #taken = 0
  #size = 0
  /** Where small pieces are copied to, of which the last piece is a view; and the end of what it holds. */
  #shared = NOTHING
  #sharedEnd = 0

  /** Bytes that have been appended and not taken. */
  get size(): number {
    return this.#size
  }

  /** The queue may keep the array itself, which must not change afterwards. */
  append(bytes: Uint8Array): void {
    const isKept = bytes.length >= KEPT || this.#size === 0
    this.#size += bytes.length
    if (isKept) {
      this.#shared = NOTHING
      if (bytes.length > 0) this.#pieces.push(bytes)
    } else this.#share(bytes)
  }

  /** The next bytes: at most so many, and only at the end fewer. They belong to the caller, and may be a view of what was appended. */
  take(most: number): Uint8Array {
    const first = this.#pieces[0] ?? NOTHING
    const end = this.#taken + Math.min(most, this.#size)
    if (end <= first.length) {
      const bytes = first.subarray(this.#taken, end)
      this.#drop(bytes.length)
      return bytes
    }
    const joined = new Uint8Array(end - this.#taken)
    for (let at = 0; at < joined.length; ) {
      const part = this.takePiece(joined.length - at)
      joined.set(part, at)
      at += part.length
    }
    return joined
  }

  /** The next bytes that lie together: at most so many. */
  takePiece(most: number): Uint8Array {
    const first = this.#pieces[0] ?? NOTHING
    const bytes = first.subarray(this.#taken, Math.min(first.length, this.#taken + most))
    this.#drop(bytes.length)
    return bytes
  }

  clear(): void {
    this.#pieces.length = 0
    this.#taken = 0
    this.#size = 0
    this.#shared = NOTHING
  }

  #share(bytes: Uint8Array): void {
    let start = this.#sharedEnd
    if (this.#shared.length === 0 || start + bytes.length > this.#shared.length) {
      // As much again as there is, so that a sender of single bytes needs few of them and a quiet one little memory.
      this.#shared = new Uint8Array(Math.max(bytes.length, Math.min(this.#size, MAX_SHARED)))
      start = 0
      this.#pieces.push(NOTHING)
    }
    this.#shared.set(bytes, start)
    this.#sharedEnd = start + bytes.length
    this.#pieces[this.#pieces.length - 1] = this.#shared.subarray(0, this.#sharedEnd)
  }

  #drop(length: number): void {
    this.#size -= length
    this.#taken += length
    if (this.#taken < (this.#pieces[0]?.length ?? 0)) return
    this.#pieces.shift()
    this.#taken = 0
    if (this.#pieces.length === 0) this.#shared = NOTHING
  }
}

const NOTHING: Uint8Array = new Uint8Array(0)
