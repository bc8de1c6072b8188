import { createSharpWebp } from '../core/adapters/ffmpeg/sharpWebp'
import { createWorkFolders } from '../core/adapters/files/workFolders'
import { createEmfMetrics } from '../core/adapters/system/emfMetrics'
import { createSingleFlight } from '../core/async/singleFlight'
import { convertRoute } from '../core/media/api/convert'
import { convertSession, type MotionPhoto } from '../core/media/convert/convertSession'
import { createJobQueue } from '../core/media/jobs/jobQueue'
import { logMetrics } from '../core/media/metrics'
import { isOffline, mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /convert */
export const handler = mediaHandler((shared) => {
  const dependencies = {
    ...shared,
    workFolders: createWorkFolders({ folder: shared.workFolder }),
    jobs: createJobQueue(shared.limits.maxConcurrentJobs, shared.clock),
    conversions: createSingleFlight<MotionPhoto>(),
    metrics: isOffline ? logMetrics(shared.log) : createEmfMetrics(),
    ffmpeg: findFfmpeg(shared),
    webp: createSharpWebp(),
  }
  return [convertRoute((request, caller) => convertSession(dependencies, request, caller))]
})
