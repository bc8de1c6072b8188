import { latin1 } from '#core/bytes'
import { onlyBox, readBoxes } from '../mp4/boxes'
import { presentationStart } from '../mp4/edits'
import { readMovie } from '../mp4/movie'
import { readBoxesBetween } from '../mp4/placedBoxes'
import type { Track } from '../mp4/track'
import { type Reading, take } from '../source/reading'
import { IDENTIFIER_KEY, readMetadataItem } from './metadataItems'
import { STILL_TIME_KEY } from './stillTimeTrack'

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
