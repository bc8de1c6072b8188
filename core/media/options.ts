/** What users name and type: words, numbers and dates of the options of a photo. @see core/media/README.md */

export { METADATA_CHOICES, type OriginWish } from './capture/chooseOrigin'
export { timeZoneOf } from './capture/timeZone'
export { MAX_SPEED, MIN_SPEED } from './photo/make/clip'
export type { ClipQuality } from './photo/make/convertClip'
export {
  isMotionPhotoProfile,
  OUTPUT_PROFILES,
  type OutputProfile,
  PROFILE_NAMES,
  profileNamed,
} from './photo/make/outputFiles'
export { PICTURE_FORMATS } from './photo/make/photoOfFile'
export { CROP_FORMS, type PictureEdit, parseCrop, parseRotation, ROTATIONS } from './pictureEdit'
