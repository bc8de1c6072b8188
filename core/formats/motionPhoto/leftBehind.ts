import { readJpeg } from '../jpeg/jpeg'
import { type FileParts, readThrough, sizeOfParts } from '../source/fileParts'
import { type Reading, type Sized, take } from '../source/reading'
import { isClipItem } from '../xmp/readXmp'
import type { MetadataLoss } from './metadataLoss'
import type { MotionPhoto } from './read'
import { MOTION_PHOTO_DATA, MOTION_PHOTO_VERSION } from './samsung'

/** Of what a trailer may be, which is searched for any byte that is not filling. */
const MAX_TRAILER_BYTES = 64 * 1024

/**
 * What of a JPEG is in none of the parts of its picture: further pictures, and other data behind it.
 * @param picture as `pictureOf` has it
 */
export function* leftBehind(
  file: Sized,
  photo: MotionPhoto,
  picture: FileParts,
): Reading<readonly MetadataLoss[]> {
  const { primaryLength, xmp, mpf, samsung, clip } = photo
  if (photo.format !== 'jpeg' || primaryLength === undefined) return []
  const size = sizeOfParts(picture)
  const kept = yield* readThrough(readJpeg({ size }), picture)
  const keptBytes = kept?.end === undefined ? 0 : size - kept.end
  const others = (xmp?.items ?? []).filter((item) => item.semantic !== 'Primary' && !isClipItem(item))
  const listed = Math.max(others.length, (mpf?.length ?? 1) - 1)
  if (listed > (keptBytes > 0 ? 1 : 0)) return ['pictures']
  const own: readonly number[] = [MOTION_PHOTO_DATA, MOTION_PHOTO_VERSION]
  if (samsung?.blocks.some(({ type }) => !own.includes(type))) return ['trailer']
  if (clip || samsung) return []
  const start = primaryLength + keptBytes
  const rest = yield* take(file, start, Math.min(file.size, start + MAX_TRAILER_BYTES))
  return rest.some((byte) => byte !== 0 && byte !== 0xff) ? ['trailer'] : []
}
