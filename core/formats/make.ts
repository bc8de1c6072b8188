/** Photos that are written: for a profile, with what a source says of itself. @see core/formats/README.md */

export { MAX_THUMBNAIL_BYTES } from './exif/exif'
export type { LivePhotoParts } from './livePhoto/livePhoto'
export { METADATA_LOSSES, type MetadataLoss } from './motionPhoto/metadataLoss'
export { assembleWithMetadata } from './newPhoto/assemble'
export { assembleHeic } from './newPhoto/assembleHeic'
export { keepOwnMetadata } from './newPhoto/ownHeader'
export {
  MOTION_PHOTO_PROFILES,
  type MotionPhotoProfile,
  motionPhotoProfileNamed,
  PHONE_PROFILES,
} from './profiles/profile'
