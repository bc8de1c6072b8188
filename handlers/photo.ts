import { createWorkFolders } from '../core/adapters/files/workFolders'
import { receiveForm } from '../core/adapters/forms/receiveForm'
import { extractRoute, inspectRoute, repairRoute } from '../core/media/api/photos'
import { createJobQueue } from '../core/media/jobs/jobQueue'
import { extractPhoto, inspectPhoto, repairPhoto } from '../core/media/photos/photoAnswers'
import { createStorageQuota } from '../core/media/storageQuota'
import { createUploads } from '../core/media/uploads/uploads'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /inspect, POST /extract and POST /repair */
export const handler = mediaHandler((shared) => {
  const workFolders = createWorkFolders({ folder: shared.workFolder })
  const dependencies = {
    ...shared,
    uploads: createUploads(shared),
    workFolders,
    quota: createStorageQuota({ ...shared, workFolders }),
    jobs: createJobQueue(shared.limits.maxConcurrentJobs, shared.clock),
    ffmpeg: findFfmpeg(shared),
    receiveForm,
  }
  return [
    inspectRoute((request, caller) => inspectPhoto(dependencies, request, caller)),
    extractRoute((request, caller) => extractPhoto(dependencies, request, caller)),
    repairRoute((request, caller) => repairPhoto(dependencies, request, caller)),
  ]
})
