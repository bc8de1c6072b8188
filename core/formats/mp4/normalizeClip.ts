import { concatBytes } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { type Box, encodeBoxHeader, onlyBox, readBoxes } from './boxes'
import { isMoved, readMovie } from './movie'
import { patchChunkOffsets } from './patchMovie'
import { CLIP_FILE_TYPE, CLIP_PADDING } from './writeMovie'

/** Motion photos store lengths and distances in 32 bits; a clip may take up half of that range. */
const MAX_CLIP_BYTES = 0x7fffffff

/**
 * Rebuilds an MP4 as exactly `ftyp` (24 bytes) + `free` (8 bytes) + `moov` + one `mdat`, whatever order the boxes came
 * in. The samples stay bit for bit the same; their offsets in `moov` are adjusted and then checked.
 * Other top-level boxes are dropped.
 * @throws ServiceError `internal` when these bytes are not a whole, unfragmented MP4 whose samples all lie in `mdat`
 * @see docs/motion-photo.md, "The clip"
 */
export function normalizeClip(mp4: Uint8Array): Uint8Array {
  const before = readMovie(mp4)
  if (!before.movie) throw refusal(before.problem)
  const boxes = readBoxes(mp4)
  const moov = boxes && onlyBox(boxes, 'moov')
  if (!boxes || !moov) throw refusal('boxes are cut, or bytes follow the last one')

  const moovSize = 8 + moov.body.length
  const media = placeMedia(boxes, CLIP_FILE_TYPE.length + CLIP_PADDING.length + moovSize + 8)
  if (media.end > MAX_CLIP_BYTES) throw refusal(`it would be ${media.end} bytes`)
  const clip = concatBytes([
    CLIP_FILE_TYPE,
    CLIP_PADDING,
    encodeBoxHeader('moov', moovSize),
    moov.body,
    encodeBoxHeader('mdat', 8 + media.bytes),
    ...media.parts.map((part) => part.box.body),
  ])

  const clipMoovStart = CLIP_FILE_TYPE.length + CLIP_PADDING.length
  const move = (offset: number, size: number) => movedOffset(media.parts, offset, size)
  patchChunkOffsets(clip.subarray(clipMoovStart, clipMoovStart + moovSize), (offset) => move(offset, 0))
  const after = readMovie(clip)
  if (!after.movie) throw refusal(after.problem)
  if (!isMoved(before.movie, after.movie, move)) throw refusal('a sample would not be where its table says')
  return clip
}

/** The body of one `mdat` box: where it began in the source, where it begins in the clip. */
type MediaPart = { readonly box: Box; readonly from: number; readonly to: number }

function placeMedia(
  boxes: readonly Box[],
  start: number,
): { parts: MediaPart[]; bytes: number; end: number } {
  const parts: MediaPart[] = []
  let to = start
  for (const box of boxes) {
    if (box.type !== 'mdat') continue
    parts.push({ box, from: box.start + box.headerSize, to })
    to += box.body.length
  }
  return { parts, bytes: to - start, end: to }
}

/** @throws ServiceError when these bytes of the source are not in any `mdat` */
function movedOffset(parts: readonly MediaPart[], offset: number, size: number): number {
  const part = parts.find(({ from, box }) => offset >= from && offset + size <= from + box.body.length)
  if (!part) throw refusal(`${size} bytes at ${offset} lie outside mdat`)
  return part.to + (offset - part.from)
}

function refusal(cause: string): ServiceError {
  return new ServiceError('internal', 'The clip could not be written as an MP4. Try again.', { cause })
}
