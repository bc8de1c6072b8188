import { latin1, viewOf } from '@lantern-room/base/bytes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'

const FIRST_CHUNK = 8
const MAX_CHUNKS = 1000

/** Whether the first chunk of the first picture is whole. */
export function* apngPicture(file: Sized): Reading<boolean> {
  let at = FIRST_CHUNK
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const head = yield* take(file, at, at + 8)
    if (head.length < 8) return false
    const end = at + 12 + viewOf(head).getUint32(0)
    if (latin1(head, 4, 8) === 'IDAT') return end <= file.size
    at = end
  }
  return true
}
