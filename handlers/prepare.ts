import { createSharpWebp } from '../core/adapters/ffmpeg/sharpWebp'
import { openFileSource } from '../core/adapters/files/fileSource'
import { receiveForm } from '../core/adapters/forms/receiveForm'
import { createEmfMetrics } from '../core/adapters/system/emfMetrics'
import { prepareRoute } from '../core/media/api/prepare'
import { createJobQueue } from '../core/media/jobs/jobQueue'
import { logMetrics } from '../core/media/metrics'
import { createSession } from '../core/media/prepare/createSession'
import { isOffline, mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'
import { composeUploads } from './uploads/compose'

/** POST /prepare */
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
  return [prepareRoute((...asked) => createSession(dependencies, ...asked), shared)]
})
