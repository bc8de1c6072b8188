import { latin1, viewOf } from '#core/bytes'
import {
  type Box,
  encodeBox,
  encodeBoxHeader,
  onlyBox,
  type PlacedBox,
  readBoxes,
  readBoxesBetween,
} from '../mp4/boxes'
import { type Movie, readMovie } from '../mp4/movie'
import { patchChunkOffsets } from '../mp4/patchMovie'
import type { FileParts } from '../source/fileParts'
import { type Reading, take } from '../source/reading'
import { isStillTimeTrack, QUICKTIME_FILE_TYPE } from './liveMovie'
import { IDENTIFIER_KEY, withMetadataItem } from './metadataItems'
import { quickTimeTrack } from './quickTimeTrack'
import { encodeStillTimeTrack, markPlace, STILL_TIME_SAMPLE } from './stillTimeTrack'

/** What a movie is to have afterwards. */
export type MovieMarks = {
  readonly identifier: string
  /** Microseconds from its start; undefined = the track that says it stays. */
  readonly stillTimeUs: number | undefined
}

const MAX_INDEX_BYTES = 16 * 1024 * 1024
const MAX_TOP_BOXES = 1024
const BRAND = 'qt  '

/**
 * Plans the video of a Live Photo with other marks: only its index changes, and an MP4 gets the forms of QuickTime. Samples are
 * copied.
 * @returns undefined when its index cannot be read, or has metadata of another kind
 */
export function* planMovie(
  file: { readonly size: number },
  marks: MovieMarks,
): Reading<FileParts | undefined> {
  const boxes = yield* readBoxesBetween(file, { start: 0, end: file.size, maxCount: MAX_TOP_BOXES })
  const place = boxes.find(({ type }) => type === 'moov')
  if (!place || place.size > MAX_INDEX_BYTES) return undefined
  const old = yield* take(file, place.start, place.start + place.size)
  const [head] = boxes
  const headBytes = head?.type === 'ftyp' ? yield* take(file, head.start, head.start + head.size) : undefined
  const isQuickTime = headBytes ? latin1(headBytes, 8, 12) === BRAND : head !== undefined
  const index = planIndex(old, marks, isQuickTime)
  if (!index) return undefined
  const fileType = isQuickTime ? undefined : QUICKTIME_FILE_TYPE
  const layout = { place, replaced: fileType && head, fileType }
  return partsOf(file, layout, index)
}

type Layout = {
  readonly place: PlacedBox
  /** A file type of MP4, and what takes its place. */
  readonly replaced: PlacedBox | undefined
  readonly fileType: Uint8Array | undefined
}

/** A new index, of the same length wherever its samples are. */
type IndexPlan = {
  readonly movie: Movie
  readonly hasMark: boolean
  write(moved: { readonly move: (offset: number) => number; readonly sampleAt: number }): Uint8Array
}

function partsOf(
  file: { readonly size: number },
  { place, replaced, fileType }: Layout,
  { write, hasMark, movie }: IndexPlan,
): FileParts | undefined {
  const sample = hasMark ? [encodeBoxHeader('mdat', 8 + STILL_TIME_SAMPLE.length), STILL_TIME_SAMPLE] : []
  const sampleBytes = sample.reduce((sum, { length }) => sum + length, 0)
  const shiftBefore = fileType && replaced ? fileType.length - replaced.size : 0
  const length = write({ move: (offset) => offset, sampleAt: 0 }).length
  const shift = shiftBefore + length - place.size + sampleBytes
  const move = (offset: number) => offset + (offset < place.start ? shiftBefore : shift)
  const sampleAt = place.start + shiftBefore + length + 8
  const index = write({ move, sampleAt })
  if (!isMoved(index, movie, move)) return undefined
  const start =
    replaced && fileType
      ? [fileType, { start: replaced.size, end: place.start }]
      : [{ start: 0, end: place.start }]
  return [...start, index, ...sample, { start: place.start + place.size, end: file.size }]
}

/** @returns undefined when the index cannot be changed */
function planIndex(
  old: Uint8Array,
  { identifier, stillTimeUs }: MovieMarks,
  isQuickTime: boolean,
): IndexPlan | undefined {
  const { movie } = readMovie(old)
  const moov = onlyBox(readBoxes(old) ?? [], 'moov')
  const children = moov && readBoxes(moov.body)
  const video = movie?.tracks.find(({ kind }) => kind === 'video')
  if (!movie || !children || !video || children.filter(({ type }) => type === 'meta').length > 1)
    return undefined
  const meta = withMetadataItem(onlyBox(children, 'meta'), IDENTIFIER_KEY, identifier)
  if (!meta) return undefined
  const trackId = Math.max(...movie.tracks.map(({ id }) => id)) + 1
  const tracks = children.filter(({ type }) => type === 'trak')
  const mayStay = movie.tracks.map((track) => stillTimeUs === undefined || !isStillTimeTrack(track))
  const dropped = new Set(tracks.filter((_, i) => !mayStay[i]))
  const kept = children.filter((box) => box.type !== 'meta' && !dropped.has(box))
  const writeBox = (box: Box, move: (offset: number) => number) => {
    const bytes = copyBox(moov.body, box, isQuickTime)
    if (box.type === 'trak') patchChunkOffsets(bytes, move)
    // The next free number ends the movie header.
    if (box.type === 'mvhd' && stillTimeUs !== undefined)
      viewOf(bytes).setUint32(bytes.length - 4, trackId + 1)
    return bytes
  }
  const markAt = (offset: number) =>
    stillTimeUs === undefined
      ? []
      : [
          encodeStillTimeTrack({
            ...markPlace(movie, stillTimeUs),
            trackId,
            describedTrackId: video.id,
            offset,
          }),
        ]
  return {
    movie: { ...movie, tracks: movie.tracks.filter((_, i) => mayStay[i]) },
    hasMark: stillTimeUs !== undefined,
    write: ({ move, sampleAt }) =>
      encodeBox('moov', ...kept.map((box) => writeBox(box, move)), ...markAt(sampleAt), meta),
  }
}

/** A box that may be changed. */
function copyBox(around: Uint8Array, { type, body, start, size }: Box, isQuickTime: boolean): Uint8Array {
  return type === 'trak' && !isQuickTime ? quickTimeTrack(body) : around.slice(start, start + size)
}

/** Whether every sample is where it has been moved to. */
function isMoved(index: Uint8Array, { tracks }: Movie, move: (offset: number) => number): boolean {
  const after = readMovie(index).movie
  return (
    after !== undefined &&
    tracks.every(({ samples }, i) => {
      const offsets = after.tracks[i]?.samples.offsets
      return samples.offsets.every((offset, sample) => offsets?.[sample] === move(offset))
    })
  )
}
