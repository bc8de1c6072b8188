/** Received bytes in order that have not been read, contiguous in a few large pieces of memory. */
export type Arrived = {
  /** Segments in it. */
  readonly count: number
  /** Bytes in it. */
  readonly size: number
  /** Copies the bytes of a segment to the end. */
  add(data: Uint8Array): void
  /** The next bytes, of as many segments as lie together; undefined when there are none. They belong to the caller. */
  read(): { readonly bytes: Uint8Array; readonly count: number } | undefined
  clear(): void
}

/** Few large reads cost the reader less than many small ones, */
const PIECE = 64 * 1024
/** but most streams carry little: the first piece is small, and each next one four times as large. */
const FIRST_PIECE = 1024

/** From `start` to `end` lie `count` segments; what is behind `end` is free. */
type Piece = { readonly memory: Uint8Array; start: number; end: number; count: number }

export function createArrived(): Arrived {
  const pieces: Piece[] = []
  let last: Piece = { memory: new Uint8Array(0), start: 0, end: 0, count: 0 }
  let nextPiece = FIRST_PIECE
  let count = 0
  let size = 0

  return {
    get count() {
      return count
    },
    get size() {
      return size
    },
    add(data) {
      if (last.end + data.length > last.memory.length) {
        last = { memory: new Uint8Array(Math.max(nextPiece, data.length)), start: 0, end: 0, count: 0 }
        nextPiece = Math.min(PIECE, nextPiece * 4)
      }
      if (last.count === 0) pieces.push(last)
      last.memory.set(data, last.end)
      last.end += data.length
      last.count += 1
      count += 1
      size += data.length
    },
    read() {
      const piece = pieces.shift()
      if (!piece) return undefined
      const read = { bytes: piece.memory.subarray(piece.start, piece.end), count: piece.count }
      // The free rest of it is filled later, and read separately.
      piece.start = piece.end
      piece.count = 0
      count -= read.count
      size -= read.bytes.length
      return read
    },
    clear() {
      pieces.length = 0
      last = { memory: new Uint8Array(0), start: 0, end: 0, count: 0 }
      count = 0
      size = 0
    },
  }
}
