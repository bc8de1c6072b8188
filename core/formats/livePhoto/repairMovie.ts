import { latin1 } from '#core/bytes'
import { type Box, encodeBoxHeader, type PlacedBox, readBoxAt } from '../mp4/boxes'
import { isMoved, movieOf, readMoov } from '../mp4/movie'
import type { FileParts } from '../source/fileParts'
import { type Reading, take } from '../source/reading'
import { type IndexPlan, planIndex, QUICKTIME_FILE_TYPE } from './liveMovie'
import { IDENTIFIER_KEY, withMetadataItem } from './metadataItems'
import { STILL_TIME_SAMPLE } from './stillTimeTrack'

export type MovieMarks = {
  readonly identifier: string
  /** Microseconds from its start; undefined = the track that says it stays. */
  readonly stillTimeUs: number | undefined
}

const BRAND = 'qt  '

/**
 * Plans the video of a Live Photo with other marks: only its index changes, and an MP4 gets the forms of QuickTime. Samples are
 * copied.
 * @returns undefined when its index cannot be read, or has metadata of another kind
 */
export function* planMovie(
  file: { readonly size: number },
  { identifier, stillTimeUs }: MovieMarks,
): Reading<FileParts | undefined> {
  const { moov } = yield* readMoov(file)
  if (!moov) return undefined
  const head = yield* readBoxAt(file, 0, file.size)
  const headBytes = head?.type === 'ftyp' ? yield* take(file, head.start, head.start + head.size) : undefined
  const isQuickTime = headBytes ? latin1(headBytes, 8, 12) === BRAND : head !== undefined
  const writeMetadata = (meta: Box | undefined) => withMetadataItem(meta, IDENTIFIER_KEY, identifier)
  const index = planIndex(moov.bytes, { stillTimeUs, writeMetadata }, isQuickTime)
  if (!index) return undefined
  const fileType = isQuickTime ? undefined : QUICKTIME_FILE_TYPE
  const place = { start: moov.start, size: moov.bytes.length }
  const layout = { place, replaced: fileType && head, fileType }
  return partsOf(file, layout, index)
}

type Layout = {
  readonly place: Pick<PlacedBox, 'start' | 'size'>
  /** A file type of MP4, and what takes its place. */
  readonly replaced: PlacedBox | undefined
  readonly fileType: Uint8Array | undefined
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
  if (!isMoved(movie, movieOf(index).movie, move)) return undefined
  const start =
    replaced && fileType
      ? [fileType, { start: replaced.size, end: place.start }]
      : [{ start: 0, end: place.start }]
  return [...start, index, ...sample, { start: place.start + place.size, end: file.size }]
}
