import { concatBytes } from '@lantern-room/base/bytes'

/** Bytes that can be read in parts, wherever they lie: in memory, in a file, in an object store. */
export type ByteSource = {
  /** The size of the whole, in bytes. */
  readonly size: number
  /**
   * @param start first byte
   * @param end one past the last byte; at most `size`
   * @returns exactly these bytes, which the caller must not change
   * @throws whatever tells the caller that the bytes cannot be read; parsers let it through
   */
  read(start: number, end: number): Promise<Uint8Array>
}

/**
 * Bytes that `read` reads, once a range is known to lie inside.
 * @throws RangeError (from `read`) when it does not, as all sources that are made here
 * @example
 * const source = rangedSource(size, (start, end) => fetchRange(url, start, end - 1))
 */
export function rangedSource(
  size: number,
  read: (start: number, end: number) => Promise<Uint8Array>,
): ByteSource {
  return {
    size,
    async read(start, end) {
      if (start < 0 || start > end || end > size) throw new RangeError(`bytes ${start} to ${end} of ${size}`)
      return read(start, end)
    },
  }
}

/**
 * Bytes in memory as a source.
 * @example
 * const { movie } = await readIndex(bytesSource(new Uint8Array(await readFile('video.mp4'))))
 */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return rangedSource(bytes.length, async (start, end) => bytes.subarray(start, end))
}

/**
 * A file that a person has chosen in a browser, or any other `Blob`. Its bytes are read in parts, when they are asked for.
 * @example
 * const { movie } = await readIndex(blobSource(input.files[0]))
 */
export function blobSource(blob: Blob): ByteSource {
  return rangedSource(
    blob.size,
    async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
  )
}

/**
 * Bytes that lie one after the other, as if they were one file.
 * @example
 * const both = joinSources([bytesSource(head), blobSource(rest)])
 */
export function joinSources(sources: readonly ByteSource[]): ByteSource {
  const size = sources.reduce((sum, source) => sum + source.size, 0)
  return rangedSource(size, async (start, end) => {
    const pieces: Uint8Array[] = []
    let at = 0
    for (const source of sources) {
      const [from, to] = [Math.max(start - at, 0), Math.min(end - at, source.size)]
      if (from < to) pieces.push(await source.read(from, to))
      at += source.size
    }
    return pieces.length === 1 && pieces[0] ? pieces[0] : concatBytes(pieces)
  })
}
