import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { numberAt } from '../source/reading'
import { encodeBox, encodeBoxHeader, encodeFullBox, uint32s } from './boxes'
import { editedSeconds } from './edits'
import { encodeTrack, type NewTrack, UNITY_MATRIX } from './encodeTrack'
import { type Chunk, interleave } from './interleave'
import { total } from './sampleTable'

/**
 * Writes the index of an MP4 for samples that follow it in interleaved chunks.
 * @returns `ftyp`, `free`, `moov`, and the header of `mdat`; the samples follow, in the order of `chunks`, and end the file
 * @throws RangeError when a size, a duration or the file does not fit 32 bits
 * @see ISO/IEC 14496-12, 8
 * @example
 * const { head, chunks } = writeMovie([pictures.track])
 * // write `head`, then the samples of each chunk
 */
export function writeMovie(tracks: readonly NewTrack[]): { head: Uint8Array; chunks: readonly Chunk[] } {
  const chunks = interleave(tracks)
  const mediaBytes = tracks.reduce((sum, { sizes }) => sum + total(sizes), 0)
  // The index is as large with wrong offsets as with the right ones.
  const beforeMoov = CLIP_FILE_TYPE.length + CLIP_PADDING.length
  const headBytes = beforeMoov + encodeMoov(tracks, chunks, 0).length + 8
  const head = concatBytes([
    CLIP_FILE_TYPE,
    CLIP_PADDING,
    encodeMoov(tracks, chunks, headBytes),
    encodeBoxHeader('mdat', 8 + mediaBytes),
  ])
  return { head, chunks }
}

/** A track and its samples' bytes. */
export type FilledTrack = { readonly track: NewTrack; readonly samples: readonly Uint8Array[] }

/**
 * Writes a whole MP4.
 * @throws RangeError as `writeMovie`
 * @example
 * const mp4 = joinMovie([pictures, sound])
 */
export function joinMovie(filled: readonly FilledTrack[]): Uint8Array {
  const { head, chunks } = writeMovie(filled.map(({ track }) => track))
  return concatBytes([
    head,
    ...chunks.flatMap(({ track, first, end }) => filled[track]?.samples.slice(first, end) ?? []),
  ])
}

function encodeMoov(tracks: readonly NewTrack[], chunks: readonly Chunk[], mediaStart: number): Uint8Array {
  const timescale = tracks[0]?.timescale ?? 1000
  const offsets = chunkOffsets(tracks, chunks, mediaStart)
  const durations = tracks.map((track) => Math.round(presentedSeconds(track) * timescale))
  return encodeBox(
    'moov',
    encodeFullBox(
      'mvhd',
      0,
      uint32s(0, 0, timescale, Math.max(0, ...durations)),
      // Rate 1.0, volume 1.0, ten reserved bytes, the matrix, 24 bytes of zeros, the next track's id.
      uint32s(0x10000, 0x1000000, 0, 0),
      UNITY_MATRIX,
      uint32s(0, 0, 0, 0, 0, 0, tracks.length + 1),
    ),
    ...tracks.map((track, index) =>
      encodeTrack(track, {
        id: index + 1,
        movieTimescale: timescale,
        movieDuration: numberAt(durations, index),
        chunks: chunks.filter((chunk) => chunk.track === index),
        offsets: offsets[index] ?? [],
      }),
    ),
  )
}

/** Where each track's chunks begin in the file. */
function chunkOffsets(tracks: readonly NewTrack[], chunks: readonly Chunk[], mediaStart: number): number[][] {
  const offsets = tracks.map((): number[] => [])
  let at = mediaStart
  for (const { track, first, end } of chunks) {
    offsets[track]?.push(at)
    at += total(tracks[track]?.sizes.subarray(first, end) ?? new Uint32Array())
  }
  return offsets
}

function presentedSeconds({ edits, durations, timescale }: NewTrack): number {
  if (edits.length === 0) return total(durations) / timescale
  return editedSeconds(edits)
}

/** How each clip that is written here begins. */

/** `ftyp`, 24 bytes: major brand mp42, minor version 0, compatible with isom and mp42. */
export const CLIP_FILE_TYPE = encodeBox(
  'ftyp',
  asciiBytes('mp42'),
  new Uint8Array(4),
  asciiBytes('isom'),
  asciiBytes('mp42'),
)

/** The empty `free` box between `ftyp` and `moov`. */
export const CLIP_PADDING = encodeBox('free')
