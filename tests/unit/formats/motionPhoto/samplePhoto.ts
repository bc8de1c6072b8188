import type { MotionPhoto } from '#internal/formats/motionPhoto/read'

export type Xmp = NonNullable<MotionPhoto['xmp']>
export type Exif = NonNullable<MotionPhoto['exif']>

/** The fields of every vendor. */
export const fullXmp: Xmp = {
  motionPhoto: 1,
  motionPhotoVersion: 1,
  presentationTimestampUs: 1,
  microVideo: 1,
  microVideoVersion: 1,
  microVideoOffset: 400,
  microVideoPresentationTimestampUs: 2,
  items: [],
  isSpecialFormat: true,
  vivo: { motionPhotoVersion: 1, motionPhotoSource: 1, mediaKitVersion: '1' },
  oplus: {
    presentationTimestampUs: 3,
    owner: 'oplus',
    oLivePhotoVersion: 2,
    videoLength: 300,
    featureFlag: 1,
  },
}

/** EXIF without anything that is read. */
export const noExif: Exif = {
  dateTime: undefined,
  dateTimeOriginal: undefined,
  dateTimeDigitized: undefined,
  gpsDate: undefined,
  gpsTime: undefined,
  offsetTime: undefined,
  subSecOriginal: undefined,
  software: undefined,
  maker: undefined,
  model: undefined,
  orientation: undefined,
  width: undefined,
  height: undefined,
  xiaomiMark: undefined,
  userComment: undefined,
  contentIdentifier: undefined,
  thumbnail: undefined,
}

/** A photo of 1000 bytes in which nothing is found. */
export const emptyPhoto: MotionPhoto = {
  format: 'jpeg',
  size: 1000,
  primaryLength: undefined,
  frame: undefined,
  segments: [],
  xmp: undefined,
  exif: undefined,
  mpf: undefined,
  clip: undefined,
  samsung: undefined,
  huawei: undefined,
  motionPhotoBox: undefined,
}
