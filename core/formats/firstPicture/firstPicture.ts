import { latin1 } from '@lantern-room/base/bytes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'
import { asfPicture } from './asf'
import { gifPicture } from './gif'
import { matroskaPicture } from './matroska'
import { programPicture, transportPicture } from './mpeg'
import { oggPicture } from './ogg'
import { apngPicture } from './png'
import { aviPicture, webpPicture } from './riff'
import { flvPicture } from './tags'

type FindPicture = (file: Sized) => Reading<boolean>

/** As Latin-1, how files begin whose first picture is looked for. */
const KINDS: readonly (readonly [RegExp, FindPicture])[] = [
  [/^GIF8[79]a/, gifPicture],
  [/^\x89PNG/, apngPicture],
  [/^RIFF.{4}WEBP/s, webpPicture],
  [/^RIFF.{4}AVI/s, aviPicture],
  [/^\x1aE\xdf\xa3/, matroskaPicture],
  [/^FLV/, flvPicture],
  [/^OggS/, oggPicture],
  [/^0&\xb2u\x8ef\xcf\x11/, asfPicture],
  [/^\0\0\x01\xba/, programPicture],
  [/^G|^.{4}G/s, transportPicture],
]

const SIGNATURE_BYTES = 12

/**
 * Whether the first coded picture of an animation or a video lies in the file, as far as its container says: no picture is decoded. A file
 * that is cut before it, or has only a header, becomes nothing. Where this is not certain, it is true; also for containers that are
 * read otherwise, as MP4 is by its index.
 */
export function* hasFirstPicture(file: Sized): Reading<boolean> {
  const head = latin1(yield* take(file, 0, SIGNATURE_BYTES))
  const find = KINDS.find(([signature]) => signature.test(head))?.[1]
  return find ? yield* find(file) : true
}
