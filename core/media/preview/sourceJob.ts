import { ServiceError } from '@lantern-room/base'
import type { QueuePlace } from '../jobs/jobQueue'
import type { LocalFile } from '../objectStore/ports'
import type { MediaParts } from '../parts'
import { readObject } from '../sessions/objectSource'
import type { UploadUse } from '../uploads/uploads'
import type { ReceivedFile, ReceiveTask } from './receiveSource'
import { sourceKind } from './sniff'

/** A video on this machine. */
export type LocalSource = ReceivedFile & {
  /** The object with the same content, where there is one. */
  readonly storedAs?: string
}

export type SourceTask = ReceiveTask & {
  /** Of the session that it has to make; undefined where it is to choose one, or makes none. */
  readonly sessionId?: string | undefined
}

export type SourceWork<Made, Result> = {
  /** Runs when a slot is free. */
  make(source: LocalSource, task: SourceTask): Promise<Made>
  /** Runs afterwards, while the next job runs. */
  finish(made: Made, source: LocalSource, task: SourceTask): Promise<Result>
  /** As `UploadUse` has it. */
  readonly settle?: (sessionId: string) => Promise<Result | undefined>
  /** As `UploadUse` has it. */
  readonly part?: string
}

export type SourceDependencies = Pick<MediaParts, 'store' | 'uploads' | 'jobs'>

const HEAD_BYTES = 4096

/**
 * Waits for a slot and works on a received file or on an upload. An upload is claimed meanwhile, and is used up afterwards.
 * @throws ServiceError `not-found`, `conflict`, `too-busy`, and what the work throws
 */
export async function withSource<Made, Result>(
  dependencies: SourceDependencies,
  source: ReceivedFile | { readonly uploadId: string },
  task: SourceTask,
  work: SourceWork<Made, Result>,
): Promise<Result> {
  if ('uploadId' in source) return withUpload(dependencies, source.uploadId, task, work)
  const made = await dependencies.jobs.run(jobOf(task), () => work.make(source, task))
  return work.finish(made, source, task)
}

function withUpload<Made, Result>(
  { jobs, store, uploads }: SourceDependencies,
  uploadId: string,
  caller: SourceTask,
  { make, finish, settle, part }: SourceWork<Made, Result>,
): Promise<Result> {
  const work: UploadUse<Result>['work'] = async ({ size }, key, watched, sessionId) => {
    const { client, folder } = caller
    const { signal, onProgress } = watched
    const task = { client, folder, signal, onProgress, sessionId }
    const head = await readObject(store, key, { start: 0, end: Math.min(HEAD_BYTES, size) })
    if (!head) throw uploadGone()
    const kind = sourceKind(head)
    let file: LocalFile | undefined
    try {
      const [made, source] = await jobs.run(jobOf(task), async () => {
        // Checked out only when its turn has come: what waits takes no space on this machine.
        file = await store.checkOut(key)
        if (!file) throw uploadGone()
        const local = { path: file.path, size, kind, storedAs: key }
        return [await make(local, task), local] as const
      })
      await watched.mustBeOurs()
      return await finish(made, source, task)
    } finally {
      await file?.release()
    }
  }
  return uploads.use(uploadId, caller, { work, settle, part })
}

function jobOf({ client, signal, onProgress }: SourceTask) {
  return {
    kind: 'prepare',
    client,
    signal,
    onPlace: (place: QueuePlace) => onProgress?.({ stage: 'queued', ...place }),
  } as const
}

function uploadGone(): ServiceError {
  return new ServiceError('not-found', 'The upload has expired just now. Upload the file again.')
}
