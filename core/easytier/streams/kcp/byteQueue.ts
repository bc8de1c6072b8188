/** A queue of bytes: added in pieces of any size, taken in pieces of another. */
export type ByteQueue = {
  /** Bytes in it. */
  readonly size: number
  /** The bytes must not change afterwards. */
  add(bytes: Uint8Array): void
  /** The next bytes, at most `most`, in one piece: a view where they lie together, else a copy. Empty when there are none. */
  take(most: number): Uint8Array
  clear(): void
}

export function createByteQueue(): ByteQueue {
  let pieces: Uint8Array[] = []
  let first = 0
  let size = 0

  /** Up to `most` bytes of the first piece. */
  const takeFromFirst = (most: number): Uint8Array => {
    const piece = pieces[first]
    if (!piece) return EMPTY
    if (piece.length <= most) {
      first += 1
      if (first === pieces.length || first === 1024) {
        pieces = pieces.slice(first)
        first = 0
      }
      size -= piece.length
      return piece
    }
    pieces[first] = piece.subarray(most)
    size -= most
    return piece.subarray(0, most)
  }

  return {
    get size() {
      return size
    },
    add(bytes) {
      if (bytes.length === 0) return
      pieces.push(bytes)
      size += bytes.length
    },
    take(most) {
      const wanted = Math.min(most, size)
      const start = takeFromFirst(wanted)
      if (start.length === wanted) return start
      const joined = new Uint8Array(wanted)
      joined.set(start)
      for (let at = start.length; at < wanted; ) {
        const next = takeFromFirst(wanted - at)
        joined.set(next, at)
        at += next.length
      }
      return joined
    },
    clear() {
      pieces = []
      first = 0
      size = 0
    },
  }
}

const EMPTY = new Uint8Array(0)
