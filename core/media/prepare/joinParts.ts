import { equalBytes } from '#core/bytes'
import type { NewTrack } from '#core/formats/mp4/encodeTrack'
import type { Chunk } from '#core/formats/mp4/interleave'
import { readIndex } from '#core/formats/mp4/readIndex'
import { readSamples } from '#core/formats/mp4/readSamples'
import { sliceTrack } from '#core/formats/mp4/sliceTrack'
import type { Track } from '#core/formats/mp4/track'
import { withoutBitRate } from '#core/formats/mp4/videoEntry'
import { type WrittenMovie, writeMovie } from '#core/formats/mp4/writeMovie'
import type { ByteSource } from '#core/formats/source/byteSource'
import { isPlain } from '../clip/cutPictures'
import { GROUP_FRAMES, PREVIEW_BUFFER } from '../ffmpeg/encodeArgs'
import { FPS } from '../frames'

/** A file of which one track becomes a part of a preview. */
type Piece = {
  readonly source: ByteSource
  readonly track: Track
  /** Its first sample's place in the joined track. */
  readonly first: number
}

/** A preview joined of several files; its samples are read from them while it is written. */
export type JoinedMovie = {
  readonly size: number
  readonly frames: number
  bytes(): AsyncIterable<Uint8Array>
}

/** A file with the pictures of a part, and how many there must be; undefined when that is not known before. */
export type EncodedPart = { readonly source: ByteSource; readonly frames: number | undefined }

/**
 * Joins the pictures of several files by copy, and adds the sound of another one.
 * @returns undefined when they are not alike: another number of pictures, other parameters or groups, or a data rate at
 *   their borders that the level does not allow; or when the whole does not fit an MP4 of 32 bits
 * @throws ServiceError `internal` when a file cannot be read
 */
export async function joinParts(
  parts: readonly EncodedPart[],
  sound: ByteSource | undefined,
): Promise<JoinedMovie | undefined> {
  const pictures = await readPieces(parts)
  const heard = sound && (await readPiece(sound, 'audio', 0))
  if (!pictures || (sound && !heard)) return undefined
  const video = joinTracks(pictures)
  if (!video || !staysFilled(video.sizes, PREVIEW_BUFFER, FPS)) return undefined
  const audio = heard && sliceTrack(heard.track, 0, heard.track.samples.count, heard.track.edits)
  const movie = tryWriting(audio ? [video, audio] : [video])
  if (!movie) return undefined
  const pieces = heard ? [pictures, [heard]] : [pictures]
  return { size: movie.size, frames: video.sizes.length, bytes: () => movieBytes(movie, pieces) }
}

async function readPieces(parts: readonly EncodedPart[]): Promise<Piece[] | undefined> {
  const pieces: Piece[] = []
  let first = 0
  for (const { source, frames } of parts) {
    const piece = await readPiece(source, 'video', first)
    const count = piece?.track.samples.count ?? 0
    if (!piece || count === 0 || count !== (frames ?? count)) return undefined
    pieces.push(piece)
    first += count
  }
  return pieces
}

async function readPiece(
  source: ByteSource,
  kind: 'video' | 'audio',
  first: number,
): Promise<Piece | undefined> {
  const { movie } = await readIndex(source)
  const [track, another] = movie?.tracks ?? []
  return track?.kind === kind && !another ? { source, track, first } : undefined
}

/** @returns undefined when a track is not as the first one */
function joinTracks(pieces: readonly Piece[]): NewTrack | undefined {
  const [model] = pieces.map(({ track }) => track)
  if (!model || !pieces.every(({ track }) => isAlike(track, model))) return undefined
  const frames = pieces.reduce((sum, { track }) => sum + track.samples.count, 0)
  const sizes = new Uint32Array(frames)
  for (const { track, first } of pieces) sizes.set(track.samples.sizes, first)
  return {
    kind: 'video',
    sampleEntry: withoutBitRate(model.sampleEntry),
    timescale: model.timescale,
    sizes,
    durations: new Uint32Array(frames).fill(model.timescale / FPS),
    compositionOffsets: undefined,
    sync: Uint8Array.from(sizes, (_, frame) => Number(frame % GROUP_FRAMES === 0)),
    edits: [{ durationSeconds: frames / FPS, mediaTime: 0 }],
    display: model.display,
  }
}

function isAlike(track: Track, model: Track): boolean {
  return (
    isPlain(track) &&
    track.timescale === model.timescale &&
    track.samples.sync.every((flag, frame) => flag === Number(frame % GROUP_FRAMES === 0)) &&
    equalBytes(withoutBitRate(track.sampleEntry), withoutBitRate(model.sampleEntry)) &&
    equalBytes(track.display.matrix, model.display.matrix)
  )
}

function tryWriting(tracks: readonly NewTrack[]): WrittenMovie | undefined {
  try {
    return writeMovie(tracks)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** @param pieces for each track of the movie, in order */
async function* movieBytes(
  { head, chunks }: WrittenMovie,
  pieces: readonly (readonly Piece[])[],
): AsyncGenerator<Uint8Array> {
  yield head
  for (const chunk of chunks) {
    for (const { source, track, first } of pieces[chunk.track] ?? []) {
      const range = overlap(chunk, first, track.samples.count)
      if (range.first >= range.end) continue
      const [samples = []] = await readSamples(source, [{ samples: track.samples, ...range }])
      yield* samples
    }
  }
}

/** Samples of a chunk that lie in a piece, counted from the piece's first. */
function overlap(chunk: Chunk, first: number, count: number): { first: number; end: number } {
  return { first: Math.max(0, chunk.first - first), end: Math.min(count, chunk.end - first) }
}

/**
 * Whether a decoder's buffer never runs empty when samples are taken out of it one by one, at equal distances.
 * @param sizes bytes of the samples in decoding order
 * @param buffer bits: its size, how fast it is filled in a second, and its content before the first sample is taken out
 * @param rate samples per second
 * @see ITU-T H.264, annex C.1, with a variable bit rate
 */
export function staysFilled(
  sizes: Uint32Array,
  buffer: { readonly bits: number; readonly bitsPerSecond: number; readonly initialBits: number },
  rate: number,
): boolean {
  let content = buffer.initialBits
  return sizes.every((size) => {
    content -= size * 8
    if (content < 0) return false
    content = Math.min(buffer.bits, content + buffer.bitsPerSecond / rate)
    return true
  })
}
