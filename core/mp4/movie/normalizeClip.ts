import { FormatError } from '../source/formatError'
import { numberAt } from '../source/reading'
import { sliceTrack } from './encodeTrack'
import { readMovie } from './movie'
import { endsOutside } from './readSamples'
import type { Track } from './track'
import { type FilledTrack, joinMovie } from './writeMovie'

/**
 * Writes the pictures and the sound of an MP4 as a clip: `ftyp` (24 bytes) + `free` (8 bytes) + `moov` + one `mdat`. The samples stay
 * bit for bit the same.
 * @throws FormatError `invalid-part` when these bytes are not a whole, unfragmented MP4, or a track has several descriptions
 * @see docs/motion-photo.md, "The clip"
 * @example
 * const clip = normalizeClip(await readFile('encoded.mp4'))
 */
export function normalizeClip(mp4: Uint8Array): Uint8Array {
  const { movie, problem } = readMovie(mp4)
  if (!movie) throw refusal(problem)
  return joinMovie(movie.tracks.filter(({ kind }) => kind !== 'other').map((track) => filled(track, mp4)))
}

function filled(track: Track, mp4: Uint8Array): FilledTrack {
  const { count, offsets, sizes } = track.samples
  if (track.entryCount !== 1) throw refusal('a track has several descriptions')
  if (endsOutside({ samples: track.samples, first: 0, end: count }, mp4.length)) throw refusal('it is cut')
  const samples = Array.from(offsets, (start, i) => mp4.subarray(start, start + numberAt(sizes, i)))
  return { track: sliceTrack(track, 0, count, track.edits), samples }
}

function refusal(cause: string): FormatError {
  return new FormatError('invalid-part', 'The clip could not be written as an MP4. Try again.', { cause })
}
