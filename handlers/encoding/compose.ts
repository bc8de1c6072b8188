import { availableParallelism } from 'node:os'
import { createSharpWebp } from '@lantern-room/adapters/ffmpeg'
import { openFileSource } from '@lantern-room/adapters/files'
import { receiveForm } from '@lantern-room/adapters/forms'
import { createStorageQuota, JobQueue, Uploads } from '@lantern-room/media'
import type { FunctionDependencies } from '../compose'
import { findFfmpeg } from '../ffmpeg/compose'

/** What the function needs that makes photos of sessions. */
export function composeEncoding(shared: FunctionDependencies) {
  const { store, sessions, metrics, clock, limits, version, workFolders, stopping } = shared
  return {
    store,
    sessions,
    metrics,
    clock,
    limits,
    version,
    workFolders,
    stopping,
    ffmpeg: findFfmpeg(shared),
    webp: createSharpWebp(),
    jobs: new JobQueue(limits.maxConcurrentJobs, clock),
    receiveForm,
  }
}

/** What the functions need that make previews of files and uploads. */
export function composePreparing(shared: FunctionDependencies) {
  const { store, sessions, metrics, clock, log, limits, previewSize, version, workFolders, stopping } = shared
  return {
    store,
    sessions,
    metrics,
    clock,
    limits,
    previewSize,
    version,
    workFolders,
    stopping,
    uploads: new Uploads({ store, clock, log, metrics }),
    quota: createStorageQuota({ store, workFolders, limits, clock }),
    ffmpeg: findFfmpeg(shared),
    webp: createSharpWebp(),
    processors: availableParallelism(),
    jobs: new JobQueue(limits.maxConcurrentJobs, clock),
    receiveForm,
    openFile: openFileSource,
  }
}
