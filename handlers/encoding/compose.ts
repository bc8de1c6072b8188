import { availableParallelism } from 'node:os'
import { createSharpWebp } from '@lantern-room/adapters/ffmpeg'
import { openFileSource } from '@lantern-room/adapters/files'
import { receiveForm } from '@lantern-room/adapters/forms'
import { JobQueue } from '@lantern-room/media'
import { composeUploads, type FunctionDependencies } from '../compose'
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

/** Dependencies of the functions that make previews of files and uploads. */
export function composePreparing(shared: FunctionDependencies) {
  return { ...composeUploads(shared), ...composeEncoding(shared), openFile: openFileSource }
}
