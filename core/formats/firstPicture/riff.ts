import { latin1, viewOf } from '@lantern-room/base/bytes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'

const HEAD_BYTES = 12
const MAX_CHUNKS = 10_000

/** Decoders of WebP want the whole file, whose length is its first number. */
export function* webpPicture(file: Sized): Reading<boolean> {
  const head = yield* take(file, 0, HEAD_BYTES)
  return head.length === HEAD_BYTES && viewOf(head).getUint32(4, true) + 8 <= file.size
}

/** Whether the first chunk of a picture is whole: `00dc` in the list `movi`. */
export function* aviPicture(file: Sized): Reading<boolean> {
  let at = HEAD_BYTES
  let isInMovie = false
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const head = yield* take(file, at, at + HEAD_BYTES)
    if (head.length < 8) return false
    const [type, list, size] = [latin1(head, 0, 4), latin1(head, 8, 12), viewOf(head).getUint32(4, true)]
    const end = at + 8 + size
    const isEntered: boolean = type === 'LIST' && (list === 'movi' || (isInMovie && list === 'rec '))
    if (isInMovie && /^\d\d(?:d[bc]|iv)$/.test(type) && size > 0) return end <= file.size
    // Players look for the next chunk behind damage.
    if (isInMovie && !/^[ -~]{4}$/.test(type)) return true
    isInMovie ||= isEntered
    at = isEntered ? at + HEAD_BYTES : end + (size % 2)
  }
  return true
}
