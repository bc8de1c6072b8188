import type { ByteSource } from '../source/byteSource'
import { readFrom } from '../source/reading'
import { type MoovResult, type MovieResult, movieOf, readMoov } from './movie'

/** One read that mostly holds every header up to the index, and often the index itself. */
const WINDOW_BYTES = 65_536

/**
 * Reads the index of an MP4 or MOV wherever it lies: the headers of the top-level boxes up to `moov`, and `moov` itself.
 * Samples are not read.
 * @returns the movie, its sample offsets counted from the start of the source; or why there is none
 * @throws what the source throws
 * @example
 * const { movie, problem } = await readIndex(source)
 * const seconds = movie?.tracks.map((track) => track.durationSeconds)
 */
export async function readIndex(source: ByteSource): Promise<MovieResult> {
  const { moov, problem } = await findIndex(source)
  return moov ? movieOf(moov.bytes) : { problem }
}

/**
 * The box `moov` alone, or why there is none.
 * @throws what the source throws
 * @example
 * const { moov } = await findIndex(source)
 * const movie = moov && movieOf(moov.bytes).movie
 */
export function findIndex(source: ByteSource): Promise<MoovResult> {
  return readFrom(readMoov(source), source, undefined, WINDOW_BYTES)
}
