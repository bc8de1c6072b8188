/** What other packages may use. @see core/formats/README.md */

export type { Movie, Track } from '@lantern-room/mp4'
export { readIndex, readSamples, stampTimes, total, UNITY_MATRIX } from '@lantern-room/mp4'
export {
  cutClip,
  cutSource,
  isCopyable,
  keyFrameBefore,
  originOf,
  presentedSeconds,
} from '@lantern-room/mp4/clip'
export type { FileParts } from '@lantern-room/mp4/source'
export { blobSource, FormatError, numberAt, type Reading, readFrom } from '@lantern-room/mp4/source'
export { formatsOf, readCodedStream } from '@lantern-room/mp4/video'
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
