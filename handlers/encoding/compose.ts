import { availableParallelism } from 'node:os'
import { createSharpWebp } from '../../core/adapters/ffmpeg/sharpWebp'
import { receiveForm } from '../../core/adapters/forms/receiveForm'
import { JobQueue } from '../../core/media/jobs/jobQueue'
import type { FunctionDependencies } from '../compose'
import { findFfmpeg } from '../ffmpeg/compose'

/** Dependencies of the functions that encode videos from a form or from the store. */
export function composeEncoding(shared: FunctionDependencies) {
  return {
    ffmpeg: findFfmpeg(shared),
    webp: createSharpWebp(),
    processors: availableParallelism(),
    jobs: new JobQueue(shared.limits.maxConcurrentJobs, shared.clock),
    receiveForm,
  }
}
