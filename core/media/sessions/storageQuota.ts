import { ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { createRemembered } from '@lantern-room/base/async'
import type { MediaLimits } from '../config'
import type { ObjectStore } from '../objectStore/ports'
import type { WorkFolders } from '../ports'

export type StorageQuota = ReturnType<typeof createStorageQuota>

/** Listing a large store takes seconds. */
const REMEMBERED_MS = 10_000
const RETRY_AFTER_SECONDS = 300
const UNLIMITED = Number.POSITIVE_INFINITY

/** What an upload will take, which no measurement has seen as long as it goes on. */
type Taken = { readonly bytes: number; hasEnded: boolean }

/**
 * Refuses uploads for which there is no space, before they are received. Without limits nothing is measured. What is measured is
 * remembered for ten seconds; uploads on their way are added.
 */
export function createStorageQuota(dependencies: {
  readonly store: Pick<ObjectStore, 'list'>
  readonly workFolders: Pick<WorkFolders, 'freeBytes'>
  readonly limits: Pick<MediaLimits, 'maxStoreBytes' | 'minFreeBytes'>
  readonly clock: Pick<Clock, 'now'>
}) {
  const { store, workFolders, limits, clock } = dependencies
  const { maxStoreBytes, minFreeBytes } = limits
  const isLimited = maxStoreBytes !== undefined || minFreeBytes !== undefined
  const taken = new Set<Taken>()
  const room = createRemembered(clock, REMEMBERED_MS, async () => {
    const ended = [...taken].filter(({ hasEnded }) => hasEnded)
    const inStore = maxStoreBytes === undefined ? UNLIMITED : maxStoreBytes - (await storedBytes(store))
    const onDisk = minFreeBytes === undefined ? UNLIMITED : (await workFolders.freeBytes()) - minFreeBytes
    for (const upload of ended) taken.delete(upload)
    return Math.min(inStore, onDisk)
  })

  function mustFit(bytes: number, measured: number): void {
    const left = [...taken].reduce((sum, upload) => sum - upload.bytes, measured)
    if (left <= 0 || bytes > left) throw noSpace()
  }

  return {
    /** @throws ServiceError `unavailable` when an upload of so many bytes would not fit now */
    async check(bytes: number): Promise<void> {
      if (isLimited) mustFit(bytes, await room.get())
    },
    /** Receives an upload of so many bytes, which count from now on. @throws ServiceError as `check`; what the work throws */
    async take<T>(bytes: number, work: () => Promise<T>): Promise<T> {
      if (!isLimited) return work()
      const upload = { bytes, hasEnded: false }
      mustFit(bytes, await room.get())
      // Without a pause since the comparison: what waited for the same measurement shares the room that it has found.
      taken.add(upload)
      try {
        return await work()
      } finally {
        upload.hasEnded = true
      }
    },
  }
}

function noSpace(): ServiceError {
  return new ServiceError(
    'unavailable',
    'The service has no space for this upload now. Send a smaller file, or try again when sessions have expired.',
    { reason: 'storage-full', retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}

async function storedBytes(store: Pick<ObjectStore, 'list'>): Promise<number> {
  let bytes = 0
  for (const prefix of ['sessions/', 'uploads/']) {
    for await (const { size } of store.list(prefix)) bytes += size
  }
  return bytes
}
