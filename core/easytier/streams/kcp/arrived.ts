/** Few large reads cost the reader less than many small ones. */
const PIECE = 64 * 1024
/** Most streams carry little, so the first piece is small, and each further one four times as large. */
const FIRST_PIECE = 1024

/** From `start` to `end` lie `count` segments; what is behind `end` is free. */
type Piece = { readonly memory: Uint8Array; start: number; end: number; count: number }

/** Received bytes in order that have not been read, contiguous in a few large pieces of memory. */
export class Arrived {
  readonly #pieces: Piece[] = []
  #last: Piece = { memory: new Uint8Array(0), start: 0, end: 0, count: 0 }
  #nextPiece = FIRST_PIECE
  #count = 0
  #size = 0

  /** Segments in it. */
  get count(): number {
    return this.#count
  }

  /** Bytes in it. */
  get size(): number {
    return this.#size
  }

  /** Copies the bytes of a segment to the end. */
  add(data: Uint8Array): void {
    if (this.#last.end + data.length > this.#last.memory.length) {
      const memory = new Uint8Array(Math.max(this.#nextPiece, data.length))
      this.#last = { memory, start: 0, end: 0, count: 0 }
      this.#nextPiece = Math.min(PIECE, this.#nextPiece * 4)
    }
    const last = this.#last
    if (last.count === 0) this.#pieces.push(last)
    last.memory.set(data, last.end)
    last.end += data.length
    last.count += 1
    this.#count += 1
    this.#size += data.length
  }

  /** The next bytes, of as many segments as lie together; undefined when there are none. They belong to the caller. */
  read(): { readonly bytes: Uint8Array; readonly count: number } | undefined {
    const piece = this.#pieces.shift()
    if (!piece) return undefined
    const read = { bytes: piece.memory.subarray(piece.start, piece.end), count: piece.count }
    // The free rest of it is filled later, and read separately.
    piece.start = piece.end
    piece.count = 0
    this.#count -= read.count
    this.#size -= read.bytes.length
    return read
  }

  clear(): void {
    this.#pieces.length = 0
    this.#last = { memory: new Uint8Array(0), start: 0, end: 0, count: 0 }
    this.#count = 0
    this.#size = 0
  }
}
