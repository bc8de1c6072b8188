import { extractClip, extractStill, type Reading, readPhoto } from '@lantern-room/formats'
import {
  type Extracted,
  findLivePair,
  inspectLivePhoto,
  isMarked,
  isZip,
  type Sized,
  take,
} from '@lantern-room/formats/parts'

/**
 * The picture or the video of a motion photo, or of a ZIP with a Live Photo: there each is a file of its own, and stays as it is.
 * @throws ServiceError as `extractStill`, `extractClip` and `inspectLivePhoto`
 * @example const { parts } = await readFrom(extractFile(source, 'clip'), source)
 */
export function* extractFile(file: Sized, what: 'still' | 'clip'): Reading<Extracted> {
  const head = yield* take(file, 0, 4)
  if (isZip(head)) return yield* extractFromPair(file, what)
  return yield* what === 'still' ? extractStill(file) : extractClip(file)
}

/**
 * The picture or the video of a motion photo or a Live Photo, as `extractFile` takes it out.
 * @returns undefined of a photo that is no motion photo
 * @example await readFrom(stripFile(source, 'still'), source)
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

const ANIMATIONS = ['gif', 'webp'] as const

export type Animation = (typeof ANIMATIONS)[number]

/** The parts that can be extracted from a motion photo. */
export const EXTRACTS = ['still', 'clip', ...ANIMATIONS] as const
