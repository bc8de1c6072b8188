/** For hosts that serve the whole API, and what they tell of it. @see core/media/README.md */

export { type App, createMediaApp } from './api/mediaApp'
export { type BucketSettings, type MediaConfig, type MediaLimits, readMediaConfig } from './config'
export {
  type FoundFfmpeg,
  ffmpegNotes,
  readFfmpegVersion,
  SECURITY_FIXES,
  versionWarning,
} from './ffmpeg/ffmpegVersion'
export type { JobCount } from './jobs/jobQueue'
export { createMediaApi, type MediaApi, type MediaDependencies } from './mediaApi'
export { logMetrics } from './metrics'
export { keptWarning } from './objectStore/examineStore'
export { requireConditionalWrites } from './objectStore/requireConditionalWrites'
export { createStoreClock } from './objectStore/storeClock'
export { HOLD_SECONDS } from './queue/prepareMessage'
