import { type Reading, type Sized, take } from '@lantern-room/mp4/source'
import { type Extracted, extractClip, extractStill } from '../existingPhoto/extract'
import { findLivePair, inspectLivePhoto } from '../livePhoto/inspectLivePhoto'
import { isMarked, readPhoto } from '../motionPhoto/read'
import { isZip } from '../zip/zipDirectory'

/**
 * The picture or the video of a motion photo, or of a ZIP with a Live Photo: there each is a file of its own, and stays as it is.
 * @throws FormatError as `extractStill`, `extractClip` and `inspectLivePhoto`
 * @example
 * const { parts, mediaType } = await readFrom(extractFile(source, 'clip'), source)
 */
export function* extractFile(file: Sized, what: 'still' | 'clip'): Reading<Extracted> {
  if (isZip(yield* take(file, 0, 4))) return yield* extractFromPair(file, what)
  return yield* what === 'still' ? extractStill(file) : extractClip(file)
}

/**
 * The picture or the video of a motion photo or a Live Photo, as `extractFile` takes it out.
 * @returns undefined of a photo that is no motion photo
 * @throws FormatError as `extractFile`
 * @example
 * const still = await readFrom(stripFile(source, 'still'), source)
 * if (!still) console.log('no motion photo')
 */
export function* stripFile(file: Sized, what: 'still' | 'clip'): Reading<Extracted | undefined> {
  const isPacked = isZip(yield* take(file, 0, 4))
  const photo = isPacked ? undefined : yield* readPhoto(file)
  const hasMotion = isPacked || (photo && (photo.clip || isMarked(photo)))
  return hasMotion ? yield* extractFile(file, what) : undefined
}

function* extractFromPair(file: Sized, what: 'still' | 'clip'): Reading<Extracted> {
  const inspection = yield* inspectLivePhoto(file)
  const { photo, still, movie } = yield* findLivePair(file)
  const { start, size } = what === 'still' ? still : movie
  const pictureType = photo.format === 'heic' ? 'image/heic' : 'image/jpeg'
  return {
    parts: [{ start, end: start + size }],
    mediaType: what === 'still' ? pictureType : 'video/quicktime',
    inspection,
  }
}
