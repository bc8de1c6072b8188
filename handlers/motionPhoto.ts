import { createSharpWebp } from '../core/adapters/ffmpeg/sharpWebp'
import { openFileSource } from '../core/adapters/files/fileSource'
import { receiveForm } from '../core/adapters/forms/receiveForm'
import { createEmfMetrics } from '../core/adapters/system/emfMetrics'
import { motionPhotoRoute } from '../core/media/api/motionPhoto'
import { createJobQueue } from '../core/media/jobs/jobQueue'
import { logMetrics } from '../core/media/metrics'
import { createMotionPhoto } from '../core/media/oneShot/createMotionPhoto'
import { isOffline, mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'
import { composeUploads } from './uploads/compose'

/** POST /motion-photo */
export const handler = mediaHandler((shared) => {
  const dependencies = {
    ...composeUploads(shared),
    jobs: createJobQueue(shared.limits.maxConcurrentJobs, shared.clock),
    metrics: isOffline ? logMetrics(shared.log) : createEmfMetrics(),
    ffmpeg: findFfmpeg(shared),
    webp: createSharpWebp(),
    receiveForm,
    openFile: openFileSource,
  }
  return [motionPhotoRoute((request, caller) => createMotionPhoto(dependencies, request, caller))]
})
