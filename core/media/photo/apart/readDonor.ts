import { ServiceError } from '@lantern-room/base'
import { type MotionPhoto, readNow, readPhoto } from '@lantern-room/formats'
import type { FamilyMarks, Gallery, MotionPhotoProfile } from '@lantern-room/formats/parts'
import { checkPhotoHead, findLivePair, isLiveComment, isMarked, isZip } from '@lantern-room/formats/parts'

/** The properties of a phone, as found in a photo that it took. */
export type Donor = ReturnType<typeof readDonor>

/**
 * Reads maker, model and marks of a motion photo or Live Photo that a phone has taken.
 * @throws ServiceError `invalid-request` when it is empty, `unsupported-media` when it is no photo, `unprocessable` when
 *   nothing in it is of a motion photo
 */
export function readDonor(bytes: Uint8Array) {
  const photo = photoIn(bytes)
  const family = familyOf(photo)
  if (!family) throw stillDonor(photo)
  const { exif, xmp } = photo
  const marks: FamilyMarks = {
    comment: isLiveComment(exif?.userComment) ? exif?.userComment : undefined,
    owner: plain(xmp?.oplus?.owner),
    oLivePhotoVersion: xmp?.oplus?.oLivePhotoVersion,
    vivoVersion: xmp?.vivo?.motionPhotoVersion,
    vivoSource: xmp?.vivo?.motionPhotoSource,
    mediaKitVersion: plain(xmp?.vivo?.mediaKitVersion),
  }
  return {
    /** Printable ASCII, as is the next one. */
    maker: plain(exif?.maker),
    model: plain(exif?.model),
    /** The gallery whose marks it carries. */
    family,
    /** The profile that has them, too. */
    profile: profileOf(family, photo),
    marks,
    photo,
  }
}

function photoIn(bytes: Uint8Array): MotionPhoto {
  const file = { size: bytes.length }
  try {
    if (isZip(bytes)) return readNow(findLivePair(file), bytes).photo
    checkPhotoHead(bytes.subarray(0, 12))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(error.code, `donor cannot be used. ${error.detail}`, { cause: error })
  }
  const photo = readNow(readPhoto(file), bytes)
  if (photo) return photo
  throw new ServiceError(
    'unsupported-media',
    'donor cannot be read as a JPEG or HEIC. Send the original from the phone.',
  )
}

/** The most special mark decides: many phones write Google's, too. */
function familyOf(photo: MotionPhoto): Gallery | undefined {
  const { exif, xmp, samsung, huawei } = photo
  if (huawei) return 'huawei'
  if (exif?.contentIdentifier !== undefined) return 'apple'
  if (!isMarked(photo)) return undefined
  if (xmp?.oplus) return 'oppo'
  if (xmp?.vivo) return 'vivo'
  if (exif?.xiaomiMark !== undefined) return 'xiaomi'
  return samsung ? 'samsung' : 'google'
}

function profileOf(family: Gallery, { xmp }: MotionPhoto): MotionPhotoProfile | 'apple' {
  if (family === 'huawei' || family === 'apple') return family
  if (xmp?.microVideo === 1 && xmp.motionPhoto !== 1) return 'legacy'
  return family === 'google' ? 'google' : 'universal'
}

/** The text if it is safe in EXIF and in an XMP attribute. */
function plain(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w .,()+/-]{1,64}$/.test(text) ? text : undefined
}

function stillDonor({ format, exif, frame }: MotionPhoto): ServiceError {
  const phone = [exif?.maker, exif?.model].map(plain).filter((text) => text !== undefined)
  const found = [
    format.toUpperCase(),
    ...(frame ? [`of ${frame.width} by ${frame.height} pixels`] : []),
    ...(phone.length > 0 ? [`by ${phone.join(' ')}`] : []),
  ]
  return new ServiceError(
    'unprocessable',
    `donor is a still: a ${found.join(' ')} without a mark of a motion photo. Send one that the phone's own camera took with motion photos turned on, as the original file.`,
  )
}
