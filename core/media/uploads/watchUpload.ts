import type { Clock } from '#core/async/clock'
import { repeat } from '#core/async/repeat'
import type { Log } from '#core/log'
import type { ObjectStore } from '../objectStore/ports'
import { createProgressMeter, type OnProgress, type ShownProgress } from '../progress'
import { uploadKeys } from './upload'
import { cancelledUpload } from './uploadErrors'
import { writeStatus } from './uploadStatus'

export type WatchDependencies = {
  readonly store: Pick<ObjectStore, 'head' | 'putBytes'>
  readonly clock: Pick<Clock, 'now' | 'unixTime' | 'after'>
  readonly log: Pick<Log, 'warn'>
}

/** The request that waits for work on an upload. */
export type Watcher = { readonly signal: AbortSignal; readonly onProgress?: OnProgress | undefined }

/** Like the watcher's own, but `signal` also aborts when another request cancels the upload. */
export type Watched = {
  readonly signal: AbortSignal
  readonly onProgress: OnProgress
  /** Asks the store at once. @throws ServiceError `conflict` when the upload was cancelled */
  mustNotBeCancelled(): Promise<void>
}

/** The interval at which the store is asked for a cancel, and at most told of progress. */
const INTERVAL_MS = 1000

/** Without progress the status is written as often: it shows that the work goes on. */
const SIGN_OF_WORK_MS = 10_000

/** A status that is older means that the process which wrote it has died. */
export const STALE_AFTER_SECONDS = 30

/**
 * Does work on an upload while its progress is shown in the store, and while it can be cancelled there: the request that
 * asks or cancels may reach another machine. A store that fails meanwhile does not disturb the work.
 */
export async function watchUpload<T>(
  dependencies: WatchDependencies,
  id: string,
  state: 'receiving' | 'preparing',
  watcher: Watcher,
  work: (watched: Watched) => Promise<T>,
): Promise<T> {
  const { store, clock, log } = dependencies
  const cancelled = new AbortController()
  const over = new AbortController()
  const meter = createProgressMeter(clock.now)
  let latest: ShownProgress | undefined
  let written: ShownProgress | undefined
  let writtenAt = Number.NEGATIVE_INFINITY
  let exchange: Promise<void> | undefined

  async function mustNotBeCancelled(): Promise<void> {
    if (await store.head(uploadKeys(id).cancel)) cancelled.abort(cancelledUpload())
    cancelled.signal.throwIfAborted()
  }

  async function exchangeWithStore(): Promise<void> {
    await mustNotBeCancelled()
    if (latest === written && clock.now() - writtenAt < SIGN_OF_WORK_MS) return
    written = latest
    writtenAt = clock.now()
    await writeStatus(store, id, { state, progress: latest, updatedAt: Math.floor(clock.unixTime() / 1000) })
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
      mustNotBeCancelled,
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
