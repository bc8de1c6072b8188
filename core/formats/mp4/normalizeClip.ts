import { ServiceError } from '#core/errors'
import { numberAt } from '../source/reading'
import { sliceTrack } from './encodeTrack'
import { readMovie } from './movie'
import { endsOutside } from './readSamples'
import type { Track } from './track'
import { type FilledTrack, joinMovie } from './writeMovie'

/** Motion photos store lengths and distances in 32 bits; a clip may take up half of that range. */
const MAX_CLIP_BYTES = 0x7fffffff

/**
 * Writes an MP4 anew as exactly `ftyp` (24 bytes) + `free` (8 bytes) + `moov` + one `mdat`, whatever order the boxes came
 * in. The samples of pictures and sound stay bit for bit the same, with their descriptions and times; other tracks are dropped.
 * @throws ServiceError `internal` when these bytes are not a whole, unfragmented MP4
 * @see docs/motion-photo.md, "The clip"
 */
export function normalizeClip(mp4: Uint8Array): Uint8Array {
  const { movie, problem } = readMovie(mp4)
  if (!movie) throw refusal(problem)
  if (mp4.length > MAX_CLIP_BYTES) throw refusal(`it would be ${mp4.length} bytes`)
  const tracks = movie.tracks.filter(({ kind }) => kind !== 'other').map((track) => filled(mp4, track))
  try {
    return joinMovie(tracks)
  } catch (error) {
    throw error instanceof RangeError ? refusal(error.message) : error
  }
}

function filled(mp4: Uint8Array, track: Track): FilledTrack {
  const { samples, edits } = track
  if (endsOutside({ samples, first: 0, end: samples.count }, mp4.length)) throw refusal('it is cut')
  return {
    track: sliceTrack(track, 0, samples.count, edits),
    samples: Array.from(samples.offsets, (start, i) =>
      mp4.subarray(start, start + numberAt(samples.sizes, i)),
    ),
  }
}

function refusal(cause: string): ServiceError {
  return new ServiceError('internal', 'The clip could not be written as an MP4. Try again.', { cause })
}
