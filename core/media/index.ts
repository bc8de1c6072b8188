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
export {
  type FoundFfmpeg,
  ffmpegNotes,
  readFfmpegVersion,
  SECURITY_FIXES,
  versionWarning,
} from './ffmpeg/ffmpegVersion'
export { refusals, refusing, serviceErrorOf } from './formatRefusal'
export { FPS } from './frames'
export { type JobCount, JobQueue } from './jobs/jobQueue'
export { createMediaApi } from './mediaApi'
export { logMetrics } from './metrics'
export { keptWarning } from './objectStore/examineStore'
export { requireConditionalWrites } from './objectStore/requireConditionalWrites'
export { createStoreClock } from './objectStore/storeClock'
export { animate } from './photo/apart/animate'
export { describeInspection, type InspectionSummary, recognisedBy } from './photo/apart/describeInspection'
export { type Animation, EXTRACTS, extractFile, stripFile } from './photo/apart/extractFile'
export { extractPhoto, inspectPhoto, repairPhoto } from './photo/apart/photoAnswers'
export { repairFile } from './photo/apart/repairFile'
export { checkPictureHead } from './photo/cover/ownCover'
export { MAX_SPEED, MIN_SPEED } from './photo/make/clip'
export { type ClipQuality, type ConvertTask, convertClip } from './photo/make/convertClip'
export { createConverter } from './photo/make/convertForm'
export { createMotionPhoto } from './photo/make/createMotionPhoto'
export {
  isMotionPhotoProfile,
  OUTPUT_PROFILES,
  type OutputFile,
  type OutputProfile,
  PROFILE_NAMES,
  profileNamed,
} from './photo/make/outputFiles'
export {
  type PhotoOfFile,
  type PhotoRequest,
  type PhotoTools,
  PICTURE_FORMATS,
  photoOfFile,
} from './photo/make/photoOfFile'
export { checkPhotoRange, type PhotoRange } from './photo/make/photoRange'
export { CROP_FORMS, type PictureEdit, parseCrop, parseRotation, ROTATIONS } from './pictureEdit'
export { checkContent } from './preview/checkContent'
export { createSession } from './preview/createSession'
export { createSessionThumbnails } from './preview/frames/sessionThumbnails'
export { preparePreview } from './preview/preparePreview'
export { createSniffer, SOURCE_ENDINGS, sniff, sourceKind, stillImage } from './preview/sniff'
export { createReadiness } from './readiness'
export { previewLinks } from './sessions/previewLinks'
export { Sessions } from './sessions/sessions'
export { createStorageQuota } from './sessions/storageQuota'
export { ANSWERS_PREFIX, sweepStore } from './sweep'
export { MAX_PICTURE_BYTES } from './traits'
export { Callbacks } from './uploads/callbacks'
export { cancelUpload, followUpload } from './uploads/followUpload'
export { allowUpload, receiveUpload } from './uploads/receiveUpload'
export { Uploads } from './uploads/uploads'
