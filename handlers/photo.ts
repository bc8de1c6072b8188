import { openFileSource } from '../core/adapters/files/inputFile'
import { receiveForm } from '../core/adapters/forms/receiveForm'
import { extractRoute, inspectRoute, repairRoute } from '../core/media/api/photos'
import { JobQueue } from '../core/media/jobs/jobQueue'
import { extractPhoto, inspectPhoto, repairPhoto } from '../core/media/photos/photoAnswers'
import { composeUploads, mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /inspect, POST /extract and POST /repair */
export const handler = mediaHandler((shared) => {
  const dependencies = {
    ...composeUploads(shared),
    jobs: new JobQueue(shared.limits.maxConcurrentJobs, shared.clock),
    ffmpeg: findFfmpeg(shared),
    receiveForm,
    openFile: openFileSource,
  }
  return [
    inspectRoute((request, caller) => inspectPhoto(dependencies, request, caller)),
    extractRoute((request, caller) => extractPhoto(dependencies, request, caller)),
    repairRoute((request, caller) => repairPhoto(dependencies, request, caller)),
  ]
})
