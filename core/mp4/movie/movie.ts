import { numberAt, type Outcome, type Reading, readNow, type Sized, take } from '../source/reading'
import { type Box, childrenOf, onlyBox, readBoxes, readBoxHeader } from './boxes'
import { readClock, readTrack, type Track } from './track'

export type Movie = {
  readonly timescale: number
  /** From the movie header; if it has no duration, that of the longest track. */
  readonly durationSeconds: number
  readonly tracks: readonly Track[]
}

/**
 * Why there is no movie:
 * - `not-mp4`: the bytes are not boxes
 * - `incomplete`: the index (`moov`) is not, or not wholly, in these bytes
 * - `fragmented`: the samples are described in fragments (`moof`), which this reader does not read
 * - `malformed`: a table is missing, cut, contradicts another, or is larger than allowed
 */
export type MovieProblem = 'not-mp4' | 'incomplete' | 'fragmented' | 'malformed'

export type MovieResult = Outcome<{ readonly movie: Movie }, MovieProblem>

/** Over all tracks together: more than nine hours of video, yet at most some 20 MB of tables. */
const MAX_SAMPLES = 1_000_000

/** Some 20 MB hold the tables of `MAX_SAMPLES` samples. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024

/** More than any recording has. Each costs a read of its boxes. */
const MAX_TRACKS = 256

/** More top-level boxes than any unfragmented file has. Each may cost a read. */
const MAX_BOXES = 64

/** A copy of the box `moov` with its header, and where it lies in the file. */
type Moov = { readonly bytes: Uint8Array; readonly start: number }
export type MoovResult = Outcome<{ readonly moov: Moov }, MovieProblem>

/**
 * Finds the index of the MP4 or MOV that is `file`, by the headers of its top-level boxes.
 * @example
 * const { moov, problem } = readNow(readMoov({ size: mp4.length }), mp4)
 */
export function* readMoov(file: Sized): Reading<MoovResult> {
  let at = 0
  for (let box = 0; box < MAX_BOXES; box++) {
    const bytes = yield* take(file, at, at + 16)
    if (bytes.length < 8) break
    const { type, size } = readBoxHeader(bytes, 0, file.size - at) ?? { type: '', size: 0 }
    if (!/^[ -~\xa9]{4}$/.test(type)) return { problem: at === 0 ? 'not-mp4' : 'malformed' }
    if (type === 'moof') return { problem: 'fragmented' }
    if (type === 'moov') return yield* takeMoov(file, at, size)
    at += size
  }
  return { problem: at === 0 ? 'not-mp4' : 'incomplete' }
}

function* takeMoov(file: Sized, start: number, size: number): Reading<MoovResult> {
  if (start + size > file.size) return { problem: 'incomplete' }
  if (size > MAX_INDEX_BYTES) return { problem: 'malformed' }
  return { moov: { bytes: new Uint8Array(yield* take(file, start, start + size)), start } }
}

/**
 * Reads the index of an MP4: its tracks, and for each where every sample lies.
 *
 * The samples need not be there: any bytes that begin where a top-level box begins and hold the whole `moov` will do.
 * @see ISO/IEC 14496-12
 * @returns the movie, or why there is none
 * @example
 * const { movie, problem } = readMovie(mp4)
 * const seconds = movie?.durationSeconds
 */
export function readMovie(bytes: Uint8Array): MovieResult {
  const { moov, problem } = readNow(readMoov({ size: bytes.length }), bytes)
  return moov ? movieOf(moov.bytes) : { problem }
}

/**
 * Reads an index.
 * @param moov the box with its header; what is read of it are views
 * @example
 * const { moov } = yield* readMoov(file)
 * const seconds = moov && movieOf(moov.bytes).movie?.durationSeconds
 */
export function movieOf(moov: Uint8Array): MovieResult {
  const children = childrenOf(readBoxes(moov) ?? [], 'moov')
  const clock = readClock(onlyBox(children, 'mvhd'))
  if (!clock) return { problem: 'malformed' }
  if (children.some((box) => box.type === 'mvex')) return { problem: 'fragmented' }

  const tracks = readTracks(children, clock.timescale)
  if (!tracks) return { problem: 'malformed' }
  const longest = tracks.reduce((seconds, track) => Math.max(seconds, track.durationSeconds), 0)
  const durationSeconds = clock.duration > 0 ? clock.duration / clock.timescale : longest
  return { movie: { timescale: clock.timescale, durationSeconds, tracks } }
}

/**
 * Whether every sample of a movie is in another one where it has been moved to.
 * @example
 * isMoved(movie, movieOf(moved).movie, (offset) => offset + 24)
 */
export function isMoved(
  { tracks }: Movie,
  to: Movie | undefined,
  move: (offset: number, size: number) => number,
): boolean {
  return tracks.every(({ samples: { count, offsets, sizes } }, i) => {
    const moved = to?.tracks[i]?.samples
    return (
      moved?.count === count &&
      offsets.every((offset, n) => moved.offsets[n] === move(offset, numberAt(sizes, n)))
    )
  })
}

/**
 * The video track with a number, or where it has none, the one that is `stream` among them, counted from 0.
 * @example
 * const track = videoTrack(movie, 0, undefined) // the first video track
 */
export function videoTrack(
  { tracks }: Movie,
  stream: number,
  trackId: number | undefined,
): Track | undefined {
  const videos = tracks.filter(({ kind }) => kind === 'video')
  return trackId === undefined ? videos[stream] : videos.find(({ id }) => id === trackId)
}

function readTracks(moovBoxes: readonly Box[], movieTimescale: number): Track[] | undefined {
  const tracks: Track[] = []
  let samplesLeft = MAX_SAMPLES
  for (const trak of moovBoxes) {
    if (trak.type !== 'trak') continue
    if (tracks.length === MAX_TRACKS) return undefined
    const track = readTrack(trak, movieTimescale, samplesLeft)
    if (!track) return undefined
    samplesLeft -= track.samples.count
    tracks.push(track)
  }
  return tracks
}
