import { asciiBytes, concatBytes, latin1, viewOf } from '@lantern-room/base/bytes'
import type { Track } from '@lantern-room/mp4'
import {
  isMoved,
  type Movie,
  movieOf,
  patchChunkOffsets,
  presentationStart,
  readMoov,
  readMovie,
} from '@lantern-room/mp4'
import { type Box, childrenOf, encodeBox, encodeBoxHeader, onlyBox, readBoxes } from '@lantern-room/mp4/boxes'
import type { Reading, Sized } from '@lantern-room/mp4/source'
import { FormatError, sizeOfParts } from '@lantern-room/mp4/source'
import { encodeMetadata, IDENTIFIER_KEY, type MetadataValue, readMetadataItem } from './metadataItems'
import { encodeMetadataTrack, encodeSample, type MetadataTrack } from './metadataTrack'
import { quickTimeTrack } from './quickTimeTrack'
import { type Mark, STILL_TIME_KEY } from './stillTimeTrack'

/** QuickTime's own brand, as cameras of phones write it. */
export const QUICKTIME_FILE_TYPE = encodeBox(
  'ftyp',
  asciiBytes('qt  '),
  new Uint8Array(4),
  asciiBytes('qt  '),
)

/**
 * The video of a Live Photo: a QuickTime movie with the samples of a clip, bit for bit, tracks such as the one that marks the
 * moment of the still, and metadata.
 * @param clip an MP4 as `normalizeClip` makes it
 * @throws FormatError `invalid-part` when the clip is not one, or the movie cannot be read back
 */
export function encodeLiveMovie(
  clip: Uint8Array,
  marks: readonly Mark[],
  metadata: ReadonlyMap<string, MetadataValue>,
): Uint8Array {
  const boxes = readBoxes(clip) ?? []
  const moov = onlyBox(boxes, 'moov')
  const mdat = onlyBox(boxes, 'mdat')
  const changes = { marks, writeMetadata: () => encodeMetadata(metadata), isQuickTime: false }
  const plan = moov && planIndex(clip.subarray(moov.start, moov.start + moov.size), changes)
  if (!mdat || !plan) throw refusal('the clip is no MP4')
  const indexBytes = plan.write({ move: (offset) => offset, sampleAt: 0 }).length
  const shift = QUICKTIME_FILE_TYPE.length + indexBytes + 8 - (mdat.start + mdat.headerSize)
  const move = (offset: number) => offset + shift
  const index = plan.write({ move, sampleAt: move(mdat.start + mdat.size) })
  const mediaHeader = encodeBoxHeader('mdat', 8 + mdat.body.length + plan.samples.length)
  const bytes = concatBytes([QUICKTIME_FILE_TYPE, index, mediaHeader, mdat.body, plan.samples])
  const { movie, problem } = readMovie(bytes)
  if (!isMoved(plan.movie, movie, move)) throw refusal(problem ?? 'samples are not where the table says')
  return bytes
}

/** A new index, of the same length wherever its samples are. */
export type IndexPlan = {
  readonly movie: Movie
  /** Of the tracks that are added. */
  readonly samples: Uint8Array
  write(moved: { readonly move: (offset: number) => number; readonly sampleAt: number }): Uint8Array
}

type IndexChanges = {
  /** Tracks to add; without any, the one that marks the moment of the still stays. */
  readonly marks: readonly Mark[]
  /** Gets the box `meta` that is there, and returns the new one. */
  readonly writeMetadata: (meta: Box | undefined) => Uint8Array | undefined
  /** Whether its tracks have that form already. */
  readonly isQuickTime: boolean
}

/**
 * Plans another index of a movie, in QuickTime's form.
 * @param old the box `moov` with its header
 * @returns undefined when the index cannot be changed, or its numbers leave no room for others
 */
export function planIndex(
  old: Uint8Array,
  { marks, writeMetadata, isQuickTime }: IndexChanges,
): IndexPlan | undefined {
  const { movie } = movieOf(old)
  const moov = onlyBox(readBoxes(old) ?? [], 'moov')
  const children = moov && readBoxes(moov.body)
  const video = movie?.tracks.find(({ kind }) => kind === 'video')
  if (!movie || !children || !video || children.filter(({ type }) => type === 'meta').length > 1)
    return undefined
  const meta = writeMetadata(onlyBox(children, 'meta'))
  if (!meta) return undefined
  const trackId = Math.max(...movie.tracks.map(({ id }) => id)) + 1
  const mayStay = movie.tracks.map((track) => marks.length === 0 || !isStillTimeTrack(track))
  const dropped = new Set(children.filter(({ type }) => type === 'trak').filter((_, i) => !mayStay[i]))
  const kept = children.filter((box) => box.type !== 'meta' && !dropped.has(box))
  const added = marks.map((mark) => mark(movie))
  if (trackId + added.length > MAX_UINT32 || !added.every(isWritable)) return undefined
  const samples = added.map((track) => track.durations.map(() => encodeSample(track)))
  const writeBox = (box: Box, move: (offset: number) => number) => {
    const bytes = copyBox(moov.body, box, isQuickTime)
    if (box.type === 'trak') patchChunkOffsets(bytes, move)
    // The next free number ends the movie header.
    if (box.type === 'mvhd' && added.length > 0)
      viewOf(bytes).setUint32(bytes.length - 4, trackId + added.length)
    return bytes
  }
  const writeMark = (sampleAt: number) => (track: MetadataTrack, index: number) =>
    encodeMetadataTrack(track, {
      trackId: trackId + index,
      describedTrackId: video.id,
      timescale: movie.timescale,
      offset: sampleAt + sizeOfParts(samples.slice(0, index).flat()),
    })
  return {
    movie: { ...movie, tracks: movie.tracks.filter((_, i) => mayStay[i]) },
    samples: concatBytes(samples.flat()),
    write: ({ move, sampleAt }) =>
      encodeBox('moov', ...kept.map((box) => writeBox(box, move)), ...added.map(writeMark(sampleAt)), meta),
  }
}

/** What a box can say of a time, an offset or a number of a track. */
export const MAX_UINT32 = 0xffffffff

/** The times of a movie's header may be longer than those of a track can be. */
function isWritable({ start, durations }: MetadataTrack): boolean {
  return durations.reduce((sum, ticks) => sum + ticks, start) <= MAX_UINT32
}

/** A box that may be changed. */
function copyBox(around: Uint8Array, { type, body, start, size }: Box, isQuickTime: boolean): Uint8Array {
  return type === 'trak' && !isQuickTime ? quickTimeTrack(body) : around.slice(start, start + size)
}

function refusal(cause: string): FormatError {
  return new FormatError('invalid-part', 'The Live Photo could not be written. Try again.', { cause })
}

/** What makes a movie the video of a Live Photo. */
export type LiveMarks = {
  readonly identifier: string | undefined
  /** Microseconds from the movie's start; undefined without the track that says it. */
  readonly stillTimeUs: number | undefined
}

/**
 * Reads the marks of a QuickTime movie that is `file`.
 * @example
 * const { identifier, stillTimeUs } = await readFrom(readLiveMovie(source), source)
 */
export function* readLiveMovie(file: Sized): Reading<LiveMarks> {
  const { moov } = yield* readMoov(file)
  if (!moov) return { identifier: undefined, stillTimeUs: undefined }
  const children = childrenOf(readBoxes(moov.bytes) ?? [], 'moov')
  const mark = movieOf(moov.bytes).movie?.tracks.find(isStillTimeTrack)
  return { identifier: readMetadataItem(children, IDENTIFIER_KEY), stillTimeUs: mark && startUs(mark) }
}

/** Whether a track marks the moment of the still. */
function isStillTimeTrack({ codec, sampleEntry }: Track): boolean {
  return codec === 'mebx' && latin1(sampleEntry).includes(STILL_TIME_KEY)
}

/** The track's sample begins after the empty edits before it. */
function startUs({ edits }: Track): number {
  return Math.round(presentationStart(edits).emptySeconds * 1e6)
}
