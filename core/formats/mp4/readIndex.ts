import { latin1 } from '#core/bytes'
import type { ByteSource } from '../source/byteSource'
import { readBoxHeader } from './boxes'
import { type MovieResult, readMovie } from './movie'

/** One read that mostly holds every header up to the index, and often the index itself. */
const WINDOW_BYTES = 65_536

/** Some 20 MB hold the tables of `MAX_SAMPLES` samples. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024

/** More top-level boxes than any unfragmented file has. Each may cost a read. */
const MAX_BOXES = 64

/**
 * Reads the index of an MP4 or MOV wherever it lies: the headers of the top-level boxes up to `moov`, and `moov` itself.
 * Samples are not read.
 * @returns the movie, its sample offsets counted from the start of the source; or why there is none, as `readMovie` says
 * @throws what the source throws
 */
export async function readIndex(source: ByteSource): Promise<MovieResult> {
  const window = openWindow(source)
  let brand: string | undefined
  let at = 0
  for (let box = 0; box < MAX_BOXES && at < source.size; box++) {
    const bytes = await window.from(at, 16)
    const header = readBoxHeader(bytes, 0, source.size - at)
    if (!header || !/^[ -~\xa9]{4}$/.test(header.type)) return { problem: at === 0 ? 'not-mp4' : 'malformed' }
    if (header.type === 'moof') return { problem: 'fragmented' }
    if (header.type === 'moov') return readMoov(header.size)
    if (header.type === 'ftyp') brand = latin1(bytes, header.headerSize, header.headerSize + 4)
    at += header.size
  }
  return { problem: 'incomplete' }

  async function readMoov(size: number): Promise<MovieResult> {
    if (at + size > source.size) return { problem: 'incomplete' }
    if (size > MAX_INDEX_BYTES) return { problem: 'malformed' }
    const bytes = await window.from(at, size)
    const result = readMovie(bytes.subarray(0, size), { fileOffset: at })
    return result.movie ? { movie: { ...result.movie, brand } } : result
  }
}

/** Reads ahead, so that neighbouring boxes cost one read together. */
function openWindow(source: ByteSource) {
  let start = 0
  let bytes = new Uint8Array()
  return {
    /** @returns bytes from `at` on: at least `length`, or all that the source has */
    async from(at: number, length: number): Promise<Uint8Array> {
      const needed = Math.min(at + length, source.size)
      if (at < start || needed > start + bytes.length) {
        bytes = new Uint8Array(
          await source.read(at, Math.min(source.size, at + Math.max(length, WINDOW_BYTES))),
        )
        start = at
      }
      return bytes.subarray(at - start)
    },
  }
}
