import { viewOf } from '@lantern-room/base/bytes'
import type { Track } from '@lantern-room/mp4'
import { findIndex, movieOf } from '@lantern-room/mp4'
import { type Box, childrenOf, onlyBox, readBoxes } from '@lantern-room/mp4/boxes'
import type { ByteSource, Patch } from '@lantern-room/mp4/source'
import { movieTagsOf } from '../capture/movieTags'

/**
 * Reads what must be known of an MP4 or MOV before another program reads it: as `readIndex` does; of fragments, their descriptions.
 * @throws what the source throws
 * @example
 * const { movie, isEncrypted } = await surveyMovie(blobSource(input.files[0]))
 */
export async function surveyMovie(source: ByteSource) {
  const { moov } = await findIndex(source)
  if (!moov)
    return { movie: undefined, tags: undefined, isFragmented: false, isEncrypted: false, patches: [] }
  const { movie } = movieOf(moov.bytes)
  const boxes = childrenOf(readBoxes(moov.bytes) ?? [], 'moov')
  const traks = boxes.filter(({ type }) => type === 'trak')
  return {
    /** Undefined for what `readIndex` does not read, such as fragments. */
    movie,
    /** What it says of its recording; undefined of what is no MP4 or MOV. */
    tags: movieTagsOf(boxes),
    /** Whether samples are described in fragments behind the index. */
    isFragmented: boxes.some(({ type }) => type === 'mvex'),
    /** Whether pictures or sound are encrypted. */
    isEncrypted: traks.some(({ body }) => isEncrypted(readBoxes(body) ?? [])),
    /** What to write over edits that last for the rest of their track, which ffmpeg takes for empty: how long that is. */
    patches: traks
      .flatMap(({ body }, index) => openEditPatches(body, movie?.tracks[index], movie?.timescale ?? 1))
      .map(({ offset, bytes }) => ({ offset: offset + moov.start, bytes })),
  }
}

/** Sample entries of Common Encryption and of FairPlay. @see ISO/IEC 14496-12, 8.12 */
const ENCRYPTED = ['encv', 'enca', 'drmi', 'drms']

function isEncrypted(trackBoxes: readonly Box[]): boolean {
  const tables = ['mdia', 'minf', 'stbl'].reduce(childrenOf, trackBoxes)
  const entries = onlyBox(tables, 'stsd')?.body.subarray(8)
  return (entries && readBoxes(entries))?.some(({ type }) => ENCRYPTED.includes(type)) ?? false
}

/** @returns patches whose offsets count in the buffer in which the boxes lie */
function openEditPatches(trak: Uint8Array, track: Track | undefined, timescale: number): Patch[] {
  if (!track || track.edits.length === 0) return []
  const elst = childrenOf(readBoxes(trak) ?? [], 'edts').find(({ type }) => type === 'elst')?.body
  if (!elst) return []
  const isLong = elst[0] === 1
  const rowSize = isLong ? 20 : 12
  return track.edits.flatMap(({ mediaTime, durationSeconds }, row) => {
    const bytes = elst.slice(8 + row * rowSize, 8 + row * rowSize + (isLong ? 8 : 4))
    const ticks = Math.ceil(durationSeconds * timescale)
    if (mediaTime === undefined || ticks === 0 || ticks > 0xffffffff || bytes.some((byte) => byte !== 0))
      return []
    viewOf(bytes).setUint32(bytes.length - 4, ticks)
    return [{ offset: elst.byteOffset + 8 + row * rowSize, bytes }]
  })
}
