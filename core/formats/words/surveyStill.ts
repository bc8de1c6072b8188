import type { Reading, Sized } from '@lantern-room/mp4/source'
import { readStillMarks, type StillMarks } from '../capture/pairMarks'
import { readExif } from '../exif/readExif'
import { readHeic } from '../heic/heic'
import { readJpeg } from '../jpeg/jpeg'
import { readHuaweiTail } from '../motionPhoto/huawei'
import { readImageHeader } from '../motionPhoto/imageHeader'
import { MOTION_PHOTO_DATA, readSamsungTrailer } from '../motionPhoto/samsung'
import { isMotionPhotoXmp, readXmpPacket } from '../xmp/readXmp'
import { type OwnWords, readOwnWords } from './ownWords'

/** What a photo is and says, by its header and its end alone. */
export type StillSurvey = StillMarks & {
  readonly format: 'jpeg' | 'heic'
  readonly own: OwnWords
  /** Whether anything says that it is a motion photo: only then it is worth looking for its clip. */
  readonly isMarked: boolean
  /** Whether it is the photo of a Live Photo, by Apple's maker note. */
  readonly isLive: boolean
}

/**
 * Looks at a JPEG or HEIC without going through its pixels, as `readPhoto` does: for thousands of files.
 * @returns undefined of another file
 * @example
 * const { isMarked = false } = (await readFrom(surveyStill(source), source)) ?? {}
 */
export function* surveyStill(file: Sized): Reading<StillSurvey | undefined> {
  const jpeg = yield* readJpeg(file, true)
  const heic = jpeg ? undefined : yield* readHeic(file)
  const metadata = jpeg ? (yield* readImageHeader(file, jpeg.segments)).metadata : heic
  if (!metadata) return undefined
  const exif = metadata.exif && readExif(metadata.exif)
  const samsung = yield* readSamsungTrailer(file)
  const huawei = jpeg ? yield* readHuaweiTail(file) : undefined
  const { identifier, clocks } = yield* readStillMarks(file, { exif, samsung })
  return {
    format: jpeg ? 'jpeg' : 'heic',
    identifier,
    clocks,
    own: readOwnWords(metadata),
    isMarked:
      (metadata.xmp !== undefined && isMotionPhotoXmp(readXmpPacket(metadata.xmp))) ||
      huawei !== undefined ||
      heic?.motionPhotoBox !== undefined ||
      samsung?.blocks.some(({ type }) => type === MOTION_PHOTO_DATA) === true,
    isLive: exif?.contentIdentifier !== undefined,
  }
}
