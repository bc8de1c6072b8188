import {
  type FileParts,
  type Reading,
  readThrough,
  type Sized,
  sizeOfParts,
  take,
} from '@lantern-room/mp4/source'
import { readJpeg } from '../jpeg/jpeg'
import { readImageHeader } from '../motionPhoto/imageHeader'
import type { MetadataLoss } from '../motionPhoto/metadataLoss'
import type { MotionPhoto } from '../motionPhoto/read'
import { MOTION_PHOTO_DATA, MOTION_PHOTO_VERSION } from '../motionPhoto/samsung'
import { type ContainerItem, isClipItem, readXmpPacket } from '../xmp/readXmp'

/** Of what a trailer may be, which is searched for any byte that is not filling. */
const MAX_TRAILER_BYTES = 64 * 1024

/**
 * What of a photo is in none of the parts of its picture: further pictures, and other data behind it.
 * @param picture as `pictureOf` has it
 */
export function* leftBehind(
  file: Sized,
  photo: MotionPhoto,
  picture: FileParts,
): Reading<readonly MetadataLoss[]> {
  const { primaryLength, mpf, samsung, clip } = photo
  const own: readonly number[] = [MOTION_PHOTO_DATA, MOTION_PHOTO_VERSION]
  const hasBlocks = samsung?.blocks.some(({ type }) => !own.includes(type)) === true
  // A HEIC that becomes a JPEG: its own pictures are told apart elsewhere.
  if (photo.format !== 'jpeg' || primaryLength === undefined) return hasBlocks ? ['trailer'] : []
  const size = sizeOfParts(picture)
  const kept = yield* readThrough(readJpeg({ size }), picture)
  const keptBytes = kept?.end === undefined ? 0 : size - kept.end
  const { xmp } = (yield* readImageHeader(file, photo.segments)).metadata
  const items = xmp === undefined ? [] : readXmpPacket(xmp).items
  const lost = picturesBehind(items, mpf, keptBytes > 0)
  if (lost.length > 0) return lost
  if (hasBlocks) return ['trailer']
  if (clip || samsung) return []
  const start = primaryLength + keptBytes
  const rest = yield* take(file, start, Math.min(file.size, start + MAX_TRAILER_BYTES))
  return rest.some((byte) => byte !== 0 && byte !== 0xff) ? ['trailer'] : []
}

/** @param hasMap whether a gain map is in the parts, the only other picture that may be */
function picturesBehind(
  items: readonly ContainerItem[],
  mpf: MotionPhoto['mpf'],
  hasMap: boolean,
): MetadataLoss[] {
  const others = items.filter((item) => item.semantic !== 'Primary' && !isClipItem(item))
  const isListed = (wanted: string) => others.some(({ semantic }) => semantic === wanted)
  const lost: MetadataLoss[] = []
  if (isListed('GainMap') && !hasMap) lost.push('gain-map')
  if (isListed('Depth')) lost.push('depth')
  const named = lost.length + (hasMap ? 1 : 0)
  return Math.max(others.length, (mpf?.length ?? 1) - 1) > named ? [...lost, 'pictures'] : lost
}
