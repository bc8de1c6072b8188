/** A queue of bytes: added in pieces of any size, taken in pieces of another. */
export class ByteQueue {
  #pieces: Uint8Array[] = []
  #first = 0
  #size = 0

  /** Bytes in it. */
  get size(): number {
    return this.#size
  }

  /** The bytes must not change afterwards. */
  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#pieces.push(bytes)
    this.#size += bytes.length
  }

  /** The next bytes, at most `most`, in one piece: a view where they lie together, else a copy. Empty when there are none. */
  take(most: number): Uint8Array {
    const wanted = Math.min(most, this.#size)
    const start = this.#takeFromFirst(wanted)
    if (start.length === wanted) return start
    const joined = new Uint8Array(wanted)
    joined.set(start)
    for (let at = start.length; at < wanted; ) {
      const next = this.#takeFromFirst(wanted - at)
      joined.set(next, at)
      at += next.length
    }
    return joined
  }

  clear(): void {
    this.#pieces = []
    this.#first = 0
    this.#size = 0
  }

  /** Up to `most` bytes of the first piece. */
  #takeFromFirst(most: number): Uint8Array {
    const piece = this.#pieces[this.#first]
    if (!piece) return EMPTY
    if (piece.length <= most) {
      this.#dropFirst()
      this.#size -= piece.length
      return piece
    }
    this.#pieces[this.#first] = piece.subarray(most)
    this.#size -= most
    return piece.subarray(0, most)
  }

  #dropFirst(): void {
    this.#first += 1
    if (this.#first !== this.#pieces.length && this.#first !== 1024) return
    this.#pieces = this.#pieces.slice(this.#first)
    this.#first = 0
  }
}

const EMPTY = new Uint8Array(0)
