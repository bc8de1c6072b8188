import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { repeat } from '@lantern-room/base/async'
import type { ObjectStore } from '../objectStore/ports'
import { createProgressMeter, type OnProgress, type ShownProgress } from '../progress'
import { uploadKeys } from './upload'
import { STALE_AFTER_SECONDS, UploadError } from './uploadErrors'
import { writeStatus } from './uploadStatus'

export type WatchDependencies = {
  readonly store: Pick<ObjectStore, 'head' | 'putBytes'>
  readonly clock: Pick<Clock, 'now' | 'unixTime' | 'after'>
  readonly log: Pick<Log, 'warn'>
}

/** The request that waits for work on an upload, or the queue that it came by. */
export type Watcher = {
  readonly signal: AbortSignal
  readonly onProgress?: OnProgress | undefined
  /** Whether work that failed so is tried again without a request: the upload has then not failed. @default never */
  readonly isRepeated?: ((error: unknown) => boolean) | undefined
}

/** Like the watcher's own, but `signal` also aborts when another request cancels the upload. */
export type Watched = {
  readonly signal: AbortSignal
  readonly onProgress: OnProgress
  /** Asks the store at once. @throws ServiceError `conflict` when the upload was cancelled or taken over */
  mustBeOurs(): Promise<void>
}

/** The interval at which the store is asked for a cancel, and at most told of progress. */
const INTERVAL_MS = 1000

/** Without progress the status is written as often: it shows that the work goes on. */
const SIGN_OF_WORK_MS = 10_000

/**
 * Does work on an upload while its progress is shown in the store, and while it can be cancelled there: the request that
 * asks or cancels may reach another machine. A store that fails meanwhile does not disturb the work.
 * @param mustHold rejects when another process has taken the upload over
 */
export async function watchUpload<T>(
  dependencies: WatchDependencies,
  id: string,
  state: 'receiving' | 'preparing',
  watcher: Watcher,
  work: (watched: Watched) => Promise<T>,
  mustHold: () => Promise<void> = async () => undefined,
): Promise<T> {
  const { store, clock, log } = dependencies
  const cancelled = new AbortController()
  const over = new AbortController()
  const meter = createProgressMeter(clock.now)
  let latest: ShownProgress | undefined
  let written: ShownProgress | undefined
  let writtenAt = clock.now() - SIGN_OF_WORK_MS
  let exchange: Promise<void> | undefined

  async function mustNotBeCancelled(): Promise<void> {
    if (await store.head(uploadKeys(id).cancel)) cancelled.abort(new UploadError('cancelled'))
    cancelled.signal.throwIfAborted()
  }

  async function mustBeOurs(): Promise<void> {
    await mustNotBeCancelled()
    await mustHold().catch((error: unknown) => {
      if (error instanceof UploadError && error.refusal === 'takenOver') cancelled.abort(error)
      throw error
    })
  }

  async function exchangeWithStore(): Promise<void> {
    const wasSilent = clock.now() - writtenAt > STALE_AFTER_SECONDS * 1000
    await (wasSilent ? mustBeOurs() : mustNotBeCancelled())
    if (latest === written && clock.now() - writtenAt < SIGN_OF_WORK_MS) return
    written = latest
    writtenAt = clock.now()
    await writeStatus(store, id, { state, progress: latest, updated_at: Math.floor(clock.unixTime() / 1000) })
  }

  repeat(clock, INTERVAL_MS, AbortSignal.any([over.signal, cancelled.signal]), () => {
    exchange ??= exchangeWithStore()
      .catch((error: unknown) => {
        if (!cancelled.signal.aborted) {
          log.warn('the status of an upload was not exchanged', { error: String(error) })
        }
      })
      .finally(() => {
        exchange = undefined
      })
  })
  try {
    return await work({
      mustBeOurs,
      signal: AbortSignal.any([watcher.signal, cancelled.signal]),
      onProgress(progress) {
        watcher.onProgress?.(progress)
        latest = meter(progress) ?? latest
      },
    })
  } finally {
    over.abort()
    await exchange
  }
}
