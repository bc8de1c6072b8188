import { createSharpWebp } from '../core/adapters/ffmpeg/sharpWebp'
import { openFileSource } from '../core/adapters/files/fileSource'
import { createWorkFolders } from '../core/adapters/files/workFolders'
import { receiveForm } from '../core/adapters/forms/receiveForm'
import { createEmfMetrics } from '../core/adapters/system/emfMetrics'
import { motionPhotoRoute } from '../core/media/api/motionPhoto'
import { createJobQueue } from '../core/media/jobs/jobQueue'
import { logMetrics } from '../core/media/metrics'
import { createMotionPhoto } from '../core/media/oneShot/createMotionPhoto'
import { createStorageQuota } from '../core/media/storageQuota'
import { createUploads } from '../core/media/uploads/uploads'
import { isOffline, mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /motion-photo */
export const handler = mediaHandler((shared) => {
  const workFolders = createWorkFolders({ folder: shared.workFolder })
  const dependencies = {
    ...shared,
    uploads: createUploads(shared),
    workFolders,
    quota: createStorageQuota({ ...shared, workFolders }),
    jobs: createJobQueue(shared.limits.maxConcurrentJobs, shared.clock),
    metrics: isOffline ? logMetrics(shared.log) : createEmfMetrics(),
    ffmpeg: findFfmpeg(shared),
    webp: createSharpWebp(),
    receiveForm,
    openFile: openFileSource,
  }
  return [motionPhotoRoute((request, caller) => createMotionPhoto(dependencies, request, caller))]
})
