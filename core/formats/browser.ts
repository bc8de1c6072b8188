/** What other packages may use. @see core/formats/README.md */

export { MAX_THUMBNAIL_BYTES } from './exif/exif'
export { exifOffset, unixTimeOf, wallClock } from './exif/wallClock'
export { extractStill } from './existingPhoto/extract'
export { planRepair } from './existingPhoto/repair'
export { isHeicHead } from './heic/heic'
export { inspect, type ProblemCode } from './motionPhoto/inspect'
export { presentationTimestampUs } from './motionPhoto/presentation'
export { assembleMotionPhoto } from './newPhoto/assemble'
export { type Gallery, MOTION_PHOTO_PROFILES, motionPhotoProfileNamed } from './profiles/profile'
export { default as reports } from './profiles/reports.json'
export { surveyMovie } from './videoFile/surveyMovie'
export { crc32, type ZipMember, zipOf } from './zip/zip'
