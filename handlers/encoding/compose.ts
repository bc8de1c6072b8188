import { availableParallelism } from 'node:os'
import { createSharpWebp } from '../../core/adapters/ffmpeg/sharpWebp'
import { receiveForm } from '../../core/adapters/forms/receiveForm'
import { createEmfMetrics } from '../../core/adapters/system/emfMetrics'
import type { Clock } from '../../core/async/clock'
import type { Log } from '../../core/log'
import type { MediaLimits } from '../../core/media/config'
import { JobQueue } from '../../core/media/jobs/jobQueue'
import { logMetrics } from '../../core/media/metrics'
import { findFfmpeg } from '../ffmpeg/compose'

type Shared = {
  readonly ffmpegPath: string | undefined
  readonly limits: Pick<MediaLimits, 'maxConcurrentJobs'>
  readonly clock: Clock
  readonly log: Log
}

/** Dependencies of the functions that encode videos from a form or from the store. */
export function composeEncoding(shared: Shared, isOffline: boolean) {
  return {
    ffmpeg: findFfmpeg(shared),
    webp: createSharpWebp(),
    processors: availableParallelism(),
    jobs: new JobQueue(shared.limits.maxConcurrentJobs, shared.clock),
    metrics: isOffline ? logMetrics(shared.log) : createEmfMetrics(),
    receiveForm,
  }
}
