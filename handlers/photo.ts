import { openFileSource } from '@lantern-room/adapters/files'
import { receiveForm } from '@lantern-room/adapters/forms'
import {
  createStorageQuota,
  extractPhoto,
  extractRoute,
  inspectPhoto,
  inspectRoute,
  JobQueue,
  repairPhoto,
  repairRoute,
  Uploads,
} from '@lantern-room/media'
import { mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /inspect, POST /extract and POST /repair */
export const handler = mediaHandler((shared) => {
  const { store, clock, log, metrics, limits, workFolders, stopping } = shared
  const dependencies = {
    store,
    limits,
    workFolders,
    stopping,
    uploads: new Uploads({ store, clock, log, metrics }),
    quota: createStorageQuota({ store, workFolders, limits, clock }),
    jobs: new JobQueue(limits.maxConcurrentJobs, clock),
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
