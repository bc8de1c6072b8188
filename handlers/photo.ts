import { openFileSource } from '@lantern-room/adapters/files'
import { receiveForm } from '@lantern-room/adapters/forms'
import {
  extractPhoto,
  extractRoute,
  inspectPhoto,
  inspectRoute,
  JobQueue,
  repairPhoto,
  repairRoute,
} from '@lantern-room/media'
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
