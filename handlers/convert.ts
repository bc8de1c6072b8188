import { createSharpWebp } from '../core/adapters/ffmpeg/sharpWebp'
import { createWorkFolders } from '../core/adapters/files/workFolders'
import { createEmfMetrics } from '../core/adapters/system/emfMetrics'
import { convertRoute } from '../core/media/api/convert'
import { convertSession } from '../core/media/convert/convertSession'
import { createMediaJobs } from '../core/media/jobSlots'
import { logMetrics } from '../core/media/metrics'
import { isOffline, mediaHandler } from './compose'
import { findFfmpeg } from './ffmpeg/compose'

/** POST /convert */
export const handler = mediaHandler((shared) => {
  const dependencies = {
    ...shared,
    workFolders: createWorkFolders({ folder: shared.workFolder }),
    jobs: createMediaJobs(shared.limits),
    metrics: isOffline ? logMetrics(shared.log) : createEmfMetrics(),
    ffmpeg: findFfmpeg(shared),
    webp: createSharpWebp(),
  }
  return [convertRoute((request, signal) => convertSession(dependencies, request, signal))]
})
