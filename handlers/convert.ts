import { createSharpWebp } from '../core/adapters/ffmpeg/sharpWebp'
import { createWorkFolders } from '../core/adapters/files/workFolders'
import { receiveForm } from '../core/adapters/forms/receiveForm'
import { createEmfMetrics } from '../core/adapters/system/emfMetrics'
import { createSingleFlight } from '../core/async/singleFlight'
import { convertRoute } from '../core/media/api/convert'
import { convertForm } from '../core/media/convert/convertForm'
import type { MotionPhoto } from '../core/media/convert/convertSession'
import { createCovers } from '../core/media/cover/covers'
import { createJobQueue } from '../core/media/jobs/jobQueue'
import { logMetrics } from '../core/media/metrics'
import { isOffline, mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /convert */
export const handler = mediaHandler((shared) => {
  const tools = {
    ...shared,
    workFolders: createWorkFolders({ folder: shared.workFolder }),
    ffmpeg: findFfmpeg(shared),
    webp: createSharpWebp(),
  }
  const dependencies = {
    ...tools,
    covers: createCovers(tools),
    receiveForm,
    jobs: createJobQueue(shared.limits.maxConcurrentJobs, shared.clock),
    conversions: createSingleFlight<MotionPhoto>(),
    metrics: isOffline ? logMetrics(shared.log) : createEmfMetrics(),
  }
  return [convertRoute((request, caller) => convertForm(dependencies, request, caller))]
})
