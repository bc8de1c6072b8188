import { numberAt, numberReader, type Reading, type Sized, take } from '@lantern-room/mp4/source'

const TAG_BYTES = 11
/** The length of the tag before stands between two. */
const BETWEEN_BYTES = 4
const VIDEO = 9
const AVC = 7
const MAX_TAGS = 10_000

/** Whether the first tag of an FLV with a picture is whole. @see Adobe Flash Video File Format 10.1, annex E */
export function* flvPicture(file: Sized): Reading<boolean> {
  const header = yield* take(file, 0, 9)
  if (header.length < 9) return false
  let at = numberReader(header, 5)(4) + BETWEEN_BYTES
  for (let tag = 0; tag < MAX_TAGS; tag++) {
    const head = yield* take(file, at, at + TAG_BYTES + 2)
    if (head.length < TAG_BYTES) return false
    const end = at + TAG_BYTES + numberReader(head, 1)(3)
    if ((numberAt(head, 0) & 0x1f) === VIDEO && isPicture(head.subarray(TAG_BYTES))) return end <= file.size
    at = end + BETWEEN_BYTES
  }
  return true
}

/** A tag of H.264, or of a codec that is told by four letters, may have the decoder's settings only. */
function isPicture([first = 0, second = 0]: Uint8Array): boolean {
  if ((first & 0x80) !== 0) return (first & 0xf) !== 0
  return (first & 0xf) !== AVC || second === 1
}
