import { latin1 } from '#core/bytes'
import { type Box, type BoxHeader, onlyBox, readBoxes, readBoxHeader } from './boxes'
import { readClock, readTrack, type Track } from './track'

export type Movie = {
  /** Major brand; undefined when the bytes held no `ftyp` (the index was read alone). */
  readonly brand: string | undefined
  readonly timescale: number
  /** From the movie header; if it has no duration, that of the longest track. */
  readonly durationSeconds: number
  readonly tracks: readonly Track[]
  /** The index lies before the samples, so that playback can start before the whole file is loaded. */
  readonly isFastStart: boolean
}

/**
 * Why there is no movie:
 * - `not-mp4`: the bytes are not boxes
 * - `incomplete`: the index (`moov`) is not, or not wholly, in these bytes
 * - `fragmented`: the samples are described in fragments (`moof`), which this reader does not read
 * - `malformed`: a table is missing, cut, contradicts another, or is larger than allowed
 */
export type MovieProblem = 'not-mp4' | 'incomplete' | 'fragmented' | 'malformed'

/** Exactly one of the two is defined: `const { movie, problem } = readMovie(bytes)`. */
export type MovieResult =
  | { readonly movie: Movie; readonly problem?: undefined }
  | { readonly movie?: undefined; readonly problem: MovieProblem }

/** Over all tracks together: more than nine hours of video, yet at most some 20 MB of tables. */
const MAX_SAMPLES = 1_000_000

const MAX_TOP_LEVEL_BOXES = 65_536

/**
 * Reads the index of an MP4: its tracks, and for each where every sample lies.
 *
 * The samples need not be there: any bytes that begin where a top-level box begins and hold the whole `moov` will do.
 * @param options.fileOffset where in the file these bytes begin; only `isFastStart` depends on it
 * @see ISO/IEC 14496-12
 */
export function readMovie(bytes: Uint8Array, options: { readonly fileOffset?: number } = {}): MovieResult {
  const found = findMoov(bytes)
  if ('problem' in found) return found
  const children = readBoxes(bytes.subarray(found.start + found.headerSize, found.start + found.size))
  const clock = children && readClock(onlyBox(children, 'mvhd'))
  if (!children || !clock) return { problem: 'malformed' }
  if (found.isFragmented || children.some((box) => box.type === 'mvex')) return { problem: 'fragmented' }

  const tracks = readTracks(children, clock.timescale)
  if (!tracks) return { problem: 'malformed' }
  const longest = tracks.reduce((seconds, track) => Math.max(seconds, track.durationSeconds), 0)
  return {
    movie: {
      brand: found.brand,
      timescale: clock.timescale,
      durationSeconds: clock.duration > 0 ? clock.duration / clock.timescale : longest,
      tracks,
      isFastStart: tracks.every((track) => firstOffset(track) > (options.fileOffset ?? 0) + found.start),
    },
  }
}

/** The video track with a number, or where it has none, the one that is `stream` among them, counted from 0. */
export function videoTrack(
  { tracks }: Movie,
  stream: number,
  trackId: number | undefined,
): Track | undefined {
  const videos = tracks.filter(({ kind }) => kind === 'video')
  return trackId === undefined ? videos[stream] : videos.find(({ id }) => id === trackId)
}

type FoundMoov = {
  readonly start: number
  readonly size: number
  readonly headerSize: number
  readonly brand: string | undefined
  readonly isFragmented: boolean
}

/** Searches the top level as far as the bytes go; only the index itself must be whole. */
function findMoov(bytes: Uint8Array): FoundMoov | { readonly problem: MovieProblem } {
  const boxes = [...topLevelBoxes(bytes)]
  const isFragmented = boxes.some(({ type }) => type === 'moof')
  const isWhole = ({ start, size }: PlacedHeader) => start + size <= bytes.length
  const [moov, second] = boxes.filter((box) => box.type === 'moov' && isWhole(box))
  if (second) return { problem: 'malformed' }
  if (!moov && isFragmented) return { problem: 'fragmented' }
  if (!moov) return { problem: boxes.length === 0 ? 'not-mp4' : 'incomplete' }
  const ftyp = boxes.find(({ type }) => type === 'ftyp')
  const brandAt = ftyp && ftyp.start + ftyp.headerSize
  return {
    start: moov.start,
    size: moov.size,
    headerSize: moov.headerSize,
    brand: brandAt === undefined ? undefined : latin1(bytes, brandAt, brandAt + 4),
    isFragmented,
  }
}

type PlacedHeader = BoxHeader & { readonly start: number }

/** The headers of the top-level boxes, up to the first one that is cut or cannot be one. */
function* topLevelBoxes(bytes: Uint8Array): Generator<PlacedHeader, void> {
  let start = 0
  for (let box = 0; box < MAX_TOP_LEVEL_BOXES && start < bytes.length; box++) {
    const header = readBoxHeader(bytes, start)
    if (!header || !/^[ -~\xa9]{4}$/.test(header.type)) return
    yield { ...header, start }
    start += header.size
  }
}

function readTracks(moovBoxes: readonly Box[], movieTimescale: number): Track[] | undefined {
  const tracks: Track[] = []
  let samplesLeft = MAX_SAMPLES
  for (const trak of moovBoxes) {
    if (trak.type !== 'trak') continue
    const track = readTrack(trak, movieTimescale, samplesLeft)
    if (!track) return undefined
    samplesLeft -= track.samples.count
    tracks.push(track)
  }
  return tracks
}

function firstOffset(track: Track): number {
  return track.samples.offsets.reduce((first, offset) => Math.min(first, offset), Number.POSITIVE_INFINITY)
}
