import { latin1 } from '@lantern-room/base/bytes'
import { isMoved, movieOf, readMoov } from '@lantern-room/mp4'
import { type Box, encodeBoxHeader, readBoxAt } from '@lantern-room/mp4/boxes'
import { type FileParts, type Reading, type Sized, sizeOfParts, take } from '@lantern-room/mp4/source'
import { MAX_UINT32, planIndex, QUICKTIME_FILE_TYPE } from './liveMovie'
import { IDENTIFIER_KEY, withMetadataItem } from './metadataItems'
import { stillMark } from './stillTimeTrack'

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
  file: Sized,
  { identifier, stillTimeUs }: MovieMarks,
): Reading<FileParts | undefined> {
  const { moov } = yield* readMoov(file)
  if (!moov) return undefined
  const head = yield* readBoxAt(file, 0, file.size)
  const headBytes = head?.type === 'ftyp' ? yield* take(file, head.start, head.start + head.size) : undefined
  const isQuickTime = headBytes ? latin1(headBytes, 8, 12) === BRAND : head !== undefined
  const writeMetadata = (meta: Box | undefined) => withMetadataItem(meta, IDENTIFIER_KEY, identifier)
  const marks = stillTimeUs === undefined ? [] : [stillMark(stillTimeUs)]
  const plan = planIndex(moov.bytes, { marks, writeMetadata, isQuickTime })
  if (!plan) return undefined
  const sample = marks.length > 0 ? [encodeBoxHeader('mdat', 8 + plan.samples.length), plan.samples] : []
  // The file type of an MP4 is replaced.
  const replaced = isQuickTime ? undefined : head
  const start = replaced ? [QUICKTIME_FILE_TYPE] : []
  const before = { start: replaced?.size ?? 0, end: moov.start }
  const shiftBefore = sizeOfParts(start) - before.start
  const length = plan.write({ move: (offset) => offset, sampleAt: 0 }).length
  const shift = shiftBefore + length - moov.bytes.length + sizeOfParts(sample)
  const move = (offset: number) => offset + (offset < moov.start ? shiftBefore : shift)
  const sampleAt = moov.start + shiftBefore + length + 8
  if (sampleAt > MAX_UINT32) return undefined
  const index = plan.write({ move, sampleAt })
  if (!isMoved(plan.movie, movieOf(index).movie, move)) return undefined
  return [...start, before, index, ...sample, { start: moov.start + moov.bytes.length, end: file.size }]
}
