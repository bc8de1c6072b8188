/** What other packages may use. @see core/formats/README.md */

export type { Movie } from '@lantern-room/mp4'
export { readIndex } from '@lantern-room/mp4'
export { cutClip, SOURCE_PROBLEMS, type SourceProblem } from '@lantern-room/mp4/clip'
export {
  type ByteSource,
  blobSource,
  bytesOfParts,
  bytesSource,
  FormatError,
  type FormatErrorCode,
  joinSources,
  type Reading,
  readFrom,
  readNow,
} from '@lantern-room/mp4/source'
export type { Place } from './exif/exif'
export { type WallClock, wallClock } from './exif/wallClock'
export { extractClip, extractStill } from './existingPhoto/extract'
export { planRepair } from './existingPhoto/repair'
export type { Size } from './jpeg/jpegFrame'
export { assembleLivePhoto } from './livePhoto/livePhoto'
export { type Inspection, inspect } from './motionPhoto/inspect'
export { presentationTimestampUs } from './motionPhoto/presentation'
export { type MotionPhoto, readPhoto } from './motionPhoto/read'
export { assembleMotionPhoto, type MotionPhotoParts } from './newPhoto/assemble'
