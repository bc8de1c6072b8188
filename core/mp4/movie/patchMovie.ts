import { viewOf } from '@lantern-room/base/bytes'
import { type Box, childrenOf, onlyBox, readBoxes } from './boxes'

/** Seconds from 1904, where the times of MP4 begin, to 1970. */
const EPOCH_SECONDS = 2_082_844_800

/**
 * Writes when a movie was made into its header and those of its tracks. Nothing else changes, least of all a length.
 * @param movie an MP4; changed in place
 * @param unixMs from 1904 to 2040; other times leave the movie as it is
 * @see ISO/IEC 14496-12, 8.2.2, 8.3.2, 8.4.2
 * @example
 * stampTimes(mp4, Date.UTC(2026, 2, 4, 5, 6, 7))
 */
export function stampTimes(movie: Uint8Array, unixMs: number): void {
  const seconds = Math.floor(unixMs / 1000) + EPOCH_SECONDS
  if (seconds < 0 || seconds > 0xffffffff) return
  const moov = childrenOf(readBoxes(movie) ?? [], 'moov')
  stamp(onlyBox(moov, 'mvhd')?.body, seconds)
  for (const { type, body } of moov) {
    if (type !== 'trak') continue
    const trak = readBoxes(body) ?? []
    stamp(onlyBox(trak, 'tkhd')?.body, seconds)
    stamp(onlyBox(childrenOf(trak, 'mdia'), 'mdhd')?.body, seconds)
  }
}

/** Creation and modification, which follow version and flags. */
function stamp(body: Uint8Array | undefined, seconds: number): void {
  if (!body || body.length < 20) return
  const view = viewOf(body)
  if (body[0] === 1) {
    view.setBigUint64(4, BigInt(seconds))
    view.setBigUint64(12, BigInt(seconds))
  } else {
    view.setUint32(4, seconds)
    view.setUint32(8, seconds)
  }
}

/**
 * Rewrites every entry of every `stco` and `co64` box in a `moov` or `trak` box, in place.
 * @example
 * patchChunkOffsets(moov, (offset) => offset + 24)
 */
export function patchChunkOffsets(index: Uint8Array, move: (offset: number) => number): void {
  for (const box of chunkTables(readBoxes(index) ?? [])) {
    const view = viewOf(box.body)
    const width = box.type === 'stco' ? 4 : 8
    const count = Math.min(view.getUint32(4), Math.floor((box.body.length - 8) / width))
    for (let i = 0; i < count; i++) {
      if (box.type === 'stco') view.setUint32(8 + i * 4, move(view.getUint32(8 + i * 4)))
      else view.setBigUint64(8 + i * 8, BigInt(move(Number(view.getBigUint64(8 + i * 8)))))
    }
  }
}

const PARENTS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])

function chunkTables(boxes: readonly Box[]): Box[] {
  return boxes.flatMap((box) => {
    if (PARENTS.has(box.type)) return chunkTables(readBoxes(box.body) ?? [])
    return (box.type === 'stco' || box.type === 'co64') && box.body.length >= 8 ? [box] : []
  })
}
