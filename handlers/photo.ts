import { createWorkFolders } from '../core/adapters/files/workFolders'
import { receiveForm } from '../core/adapters/forms/receiveForm'
import { extractRoute, inspectRoute, repairRoute } from '../core/media/api/photos'
import { createJobQueue } from '../core/media/jobs/jobQueue'
import { extractPhoto, inspectPhoto, repairPhoto } from '../core/media/photos/photoAnswers'
import { createUploads } from '../core/media/uploads/uploads'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /inspect, POST /extract and POST /repair */
export const handler = mediaHandler((shared) => {
  const dependencies = {
    ...shared,
    uploads: createUploads(shared),
    workFolders: createWorkFolders({ folder: shared.workFolder }),
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
