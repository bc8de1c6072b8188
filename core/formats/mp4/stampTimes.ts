import { viewOf } from '#core/bytes'
import { onlyBox, readBoxes } from './boxes'

/** Seconds from 1904, where the times of MP4 begin, to 1970. */
const EPOCH_SECONDS = 2_082_844_800

/**
 * Writes when a movie was made into its header and those of its tracks. Nothing else changes, least of all a length.
 * @param movie an MP4; changed in place
 * @param unixMs from 1904 to 2040; other times leave the movie as it is
 * @see ISO/IEC 14496-12, 8.2.2, 8.3.2, 8.4.2
 */
export function stampTimes(movie: Uint8Array, unixMs: number): void {
  const seconds = Math.floor(unixMs / 1000) + EPOCH_SECONDS
  if (seconds < 0 || seconds > 0xffffffff) return
  const moov = childrenOf(readBoxes(movie), 'moov')
  stamp(onlyBox(moov, 'mvhd')?.body, seconds)
  for (const { type, body } of moov) {
    if (type !== 'trak') continue
    const trak = readBoxes(body) ?? []
    stamp(onlyBox(trak, 'tkhd')?.body, seconds)
    stamp(onlyBox(childrenOf(trak, 'mdia'), 'mdhd')?.body, seconds)
  }
}

type Boxes = NonNullable<ReturnType<typeof readBoxes>>

function childrenOf(boxes: Boxes | undefined, type: string): Boxes {
  const box = boxes && onlyBox(boxes, type)
  return (box && readBoxes(box.body)) ?? []
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
