import { latin1, viewOf } from '@lantern-room/base/bytes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'

const HEAD_BYTES = 27
const MAX_SEGMENTS = 255
const FIRST_PAGE = 2
const MAX_PAGES = 10_000
/** How the first packets of streams with pictures begin. */
const VIDEO = /^(?:\x80theora|BBCD|OVP80|\x01video)/

/** Whether a page of pictures is whole: one of a stream of them that says what it reaches to. @see RFC 3533, 6 */
export function* oggPicture(file: Sized): Reading<boolean> {
  const videos = new Set<number>()
  let at = 0
  for (let page = 0; page < MAX_PAGES; page++) {
    const head = yield* take(file, at, at + HEAD_BYTES + MAX_SEGMENTS + 8)
    if (head.length < HEAD_BYTES) return false
    // Players look for the next page behind damage.
    if (latin1(head, 0, 4) !== 'OggS') return true
    const view = viewOf(head)
    const isFirst = (view.getUint8(5) & FIRST_PAGE) !== 0
    const segments = head.subarray(HEAD_BYTES, HEAD_BYTES + view.getUint8(26))
    const body = HEAD_BYTES + view.getUint8(26)
    const end = at + body + segments.reduce((sum, size) => sum + size, 0)
    const stream = view.getUint32(14)
    if (isFirst && VIDEO.test(latin1(head, body, body + 8))) videos.add(stream)
    // Sound may have a cover picture.
    if (!isFirst && videos.size === 0) return true
    if (videos.has(stream) && view.getBigInt64(6, true) > 0n) return end <= file.size
    at = end
  }
  return true
}
