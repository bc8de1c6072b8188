/** What other packages may use. @see core/media/README.md */

export { convertRoute, motionPhotoRoute } from './api/convert'
export { type App, createMediaApp } from './api/mediaApp'
export type { MediaRoute } from './api/mediaRoute'
export { extractRoute, inspectRoute, repairRoute } from './api/photos'
export { frameRoute, stripRoute, thumbnailRoute } from './api/pictures'
export { type CreateSession, prepareRoute } from './api/prepare'
export { enqueuePrepare, MAX_DELIVERIES, takeMessage } from './api/prepareQueue'
export { previewRoute } from './api/preview'
export { documentRoute, healthRoute, pageRoute, servicePage } from './api/service'
export { cleanupRoute, sessionRoute } from './api/sessions'
export { allowUploadRoute, cancelUploadRoute, followUploadRoute, receiveUploadRoute } from './api/uploads'
export { METADATA_CHOICES, type OriginWish } from './capture/chooseOrigin'
export { withoutPhotoMark } from './capture/fileName'
export { parseMoment } from './capture/moment'
export {
  checkPair,
  MAX_VIDEO_SECONDS,
  readPhotoMarks,
  readVideoMarks,
  secondsApart,
  type VideoMarks,
} from './capture/pair'
export { timeOfFiles } from './capture/readCapture'
export { instantOf, timeZoneOf } from './capture/timeZone'
export { unnamedToken } from './client'
export { type BucketSettings, type MediaLimits, readMediaConfig } from './config'
export { MAX_SPEED, MIN_SPEED } from './convert/clip'
export { type ClipQuality, type ConvertTask, convertClip } from './convert/convertClip'
export { createConverter } from './convert/convertForm'
export {
  isMotionPhotoProfile,
  OUTPUT_PROFILES,
  type OutputFile,
  type OutputProfile,
  PROFILE_NAMES,
  profileNamed,
} from './convert/outputFiles'
export { checkPictureHead } from './cover/ownCover'
export {
  type FoundFfmpeg,
  ffmpegNotes,
  readFfmpegVersion,
  SECURITY_FIXES,
  versionWarning,
} from './ffmpeg/ffmpegVersion'
export { FPS } from './frames'
export { type JobCount, JobQueue } from './jobs/jobQueue'
export { createMediaApi } from './mediaApi'
export { logMetrics } from './metrics'
export { keptWarning } from './objectStore/examineStore'
export { requireConditionalWrites } from './objectStore/requireConditionalWrites'
export { createStoreClock } from './objectStore/storeClock'
export { createMotionPhoto } from './oneShot/createMotionPhoto'
export {
  type PhotoOfFile,
  type PhotoRequest,
  type PhotoTools,
  PICTURE_FORMATS,
  photoOfFile,
} from './oneShot/photoOfFile'
export { checkPhotoRange, type PhotoRange } from './oneShot/photoRange'
export { animate } from './photos/animate'
export { describeInspection, type InspectionSummary, recognisedBy } from './photos/describeInspection'
export { type Animation, EXTRACTS, extractFile, stripFile } from './photos/extractFile'
export { extractPhoto, inspectPhoto, repairPhoto } from './photos/photoAnswers'
export { type Donor, readDonor } from './photos/readDonor'
export { repairFile } from './photos/repairFile'
export { readSourceMark, type SourceMark, withSourceMark } from './photos/sourceMark'
export { CROP_FORMS, type PictureEdit, parseCrop, parseRotation, ROTATIONS } from './pictureEdit'
export { checkIndex } from './prepare/checkIndex'
export { createSession } from './prepare/createSession'
export { preparePreview } from './prepare/preparePreview'
export { createSniffer, SOURCE_ENDINGS, sniff, sourceKind, stillImage } from './prepare/sniff'
export { createReadiness } from './readiness'
export { previewLinks } from './sessions/previewLinks'
export { Sessions } from './sessions/sessions'
export { createStorageQuota } from './sessions/storageQuota'
export { ANSWERS_PREFIX, sweepStore } from './sweep'
export { createSessionThumbnails } from './thumbnails/sessionThumbnails'
export { MAX_PICTURE_BYTES } from './traits'
export { type ClipChange, changeClip, materialOf, type TrialMaterial, trialFiles } from './trial/trialFiles'
export { Callbacks } from './uploads/callbacks'
export { cancelUpload, followUpload } from './uploads/followUpload'
export { allowUpload, receiveUpload } from './uploads/receiveUpload'
export { Uploads } from './uploads/uploads'
