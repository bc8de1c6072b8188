import { asciiBytes, concatBytes, latin1, viewOf } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { type Box, encodeBox, encodeBoxHeader, onlyBox, readBoxes, readBoxesBetween } from '../mp4/boxes'
import { presentationStart } from '../mp4/edits'
import { readMovie } from '../mp4/movie'
import { patchChunkOffsets } from '../mp4/patchMovie'
import type { Track } from '../mp4/track'
import { type Reading, take } from '../source/reading'
import { encodeMetadata, IDENTIFIER_KEY, readMetadataItem } from './metadataItems'
import { quickTimeTrack } from './quickTimeTrack'
import { encodeStillTimeTrack, markPlace, STILL_TIME_KEY, STILL_TIME_SAMPLE } from './stillTimeTrack'

/** QuickTime's own brand, as cameras of phones write it. */
export const QUICKTIME_FILE_TYPE = encodeBox(
  'ftyp',
  asciiBytes('qt  '),
  new Uint8Array(4),
  asciiBytes('qt  '),
)

/**
 * The video of a Live Photo: a QuickTime movie with the samples of a clip, bit for bit, a track that marks the moment of
 * the still, and metadata.
 * @param clip an MP4 as `normalizeClip` makes it
 * @param stillUs microseconds from the clip's start
 * @throws ServiceError `internal` when the clip is not one, or the movie cannot be read back
 */
export function encodeLiveMovie(
  clip: Uint8Array,
  stillUs: number,
  metadata: ReadonlyMap<string, string>,
): Uint8Array {
  const boxes = readBoxes(clip) ?? []
  const moov = onlyBox(boxes, 'moov')
  const mdat = onlyBox(boxes, 'mdat')
  const before = readMovie(clip).movie
  const children = moov && readBoxes(moov.body)
  if (!mdat || !before || !children) throw refusal('the clip is no MP4')

  const trackId = Math.max(...before.tracks.map(({ id }) => id)) + 1
  const mark = encodeStillTimeTrack({
    ...markPlace(before, stillUs),
    trackId,
    describedTrackId: before.tracks.find(({ kind }) => kind === 'video')?.id ?? 1,
    // Where the samples of the clip end; moved with them.
    offset: mdat.start + mdat.size,
  })
  const index = encodeBox(
    'moov',
    ...children.map((box) => quickTimeBox(box, trackId)),
    mark,
    encodeMetadata(metadata),
  )
  const shift = QUICKTIME_FILE_TYPE.length + index.length + 8 - (mdat.start + mdat.headerSize)
  patchChunkOffsets(index, (offset) => offset + shift)
  const mediaHeader = encodeBoxHeader('mdat', 8 + mdat.body.length + STILL_TIME_SAMPLE.length)
  const movie = concatBytes([QUICKTIME_FILE_TYPE, index, mediaHeader, mdat.body, STILL_TIME_SAMPLE])
  checkMovie(movie, before.tracks, shift)
  return movie
}

function quickTimeBox({ type, body }: Box, lastTrackId: number): Uint8Array {
  if (type === 'trak') return quickTimeTrack(body)
  const box = encodeBox(type, body)
  // The next free number ends the movie header.
  if (type === 'mvhd') viewOf(box).setUint32(box.length - 4, lastTrackId + 1)
  return box
}

function checkMovie(bytes: Uint8Array, before: readonly Track[], shift: number): void {
  const { movie, problem } = readMovie(bytes)
  const areMoved = before.every(({ samples }, i) => {
    const moved = movie?.tracks[i]?.samples.offsets
    return samples.offsets.every((offset, sample) => moved?.[sample] === offset + shift)
  })
  if (!movie || !areMoved) throw refusal(problem ?? 'samples are not where the table says')
}

function refusal(cause: string): ServiceError {
  return new ServiceError('internal', 'The Live Photo could not be written. Try again.', { cause })
}

/** What makes a movie the video of a Live Photo. */
export type LiveMarks = {
  readonly identifier: string | undefined
  /** Microseconds from the movie's start; undefined without the track that says it. */
  readonly stillTimeUs: number | undefined
}

const MAX_INDEX_BYTES = 16 * 1024 * 1024
const MAX_TOP_BOXES = 1024

const NO_MARKS: LiveMarks = { identifier: undefined, stillTimeUs: undefined }

/** Reads the marks of a QuickTime movie that is `file`. */
export function* readLiveMovie(file: { readonly size: number }): Reading<LiveMarks> {
  const boxes = yield* readBoxesBetween(file, { start: 0, end: file.size, maxCount: MAX_TOP_BOXES })
  const place = boxes.find(({ type }) => type === 'moov')
  if (!place || place.size > MAX_INDEX_BYTES) return NO_MARKS
  const bytes = yield* take(file, place.start, place.start + place.size)
  const moov = onlyBox(readBoxes(bytes) ?? [], 'moov')
  const children = moov && readBoxes(moov.body)
  if (!children) return NO_MARKS
  const mark = readMovie(bytes).movie?.tracks.find(isStillTimeTrack)
  return { identifier: readMetadataItem(children, IDENTIFIER_KEY), stillTimeUs: mark && startUs(mark) }
}

/** Whether a track marks the moment of the still. */
export function isStillTimeTrack({ codec, sampleEntry }: Track): boolean {
  return codec === 'mebx' && latin1(sampleEntry).includes(STILL_TIME_KEY)
}

/** The track's sample begins after the empty edits before it. */
function startUs({ edits }: Track): number {
  return Math.round(presentationStart(edits).emptySeconds * 1e6)
}
