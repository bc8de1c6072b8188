import type { Clock } from '#core/async/clock'
import { createRemembered } from '#core/async/remembered'
import { ServiceError } from '#core/errors'
import type { MediaLimits } from '../config'
import type { ObjectStore } from '../objectStore/ports'
import type { WorkFolders } from '../ports'

export type StorageQuota = ReturnType<typeof createStorageQuota>

/** Listing a large store takes seconds. */
const REMEMBERED_MS = 10_000
const RETRY_AFTER_SECONDS = 300
const UNLIMITED = Number.POSITIVE_INFINITY

/**
 * Refuses uploads for which there is no space, before they are received. Without limits nothing is measured. What is measured is remembered for ten seconds; bytes taken
 * meanwhile are added.
 */
export function createStorageQuota(dependencies: {
  readonly store: Pick<ObjectStore, 'list'>
  readonly workFolders: Pick<WorkFolders, 'freeBytes'>
  readonly limits: Pick<MediaLimits, 'maxStoreBytes' | 'minFreeBytes'>
  readonly clock: Pick<Clock, 'now'>
}) {
  const { store, workFolders, limits, clock } = dependencies
  const { maxStoreBytes, minFreeBytes } = limits
  let taken = 0
  const room = createRemembered(clock, REMEMBERED_MS, async () => {
    const inStore = maxStoreBytes === undefined ? UNLIMITED : maxStoreBytes - (await storedBytes(store))
    const onDisk = minFreeBytes === undefined ? UNLIMITED : (await workFolders.freeBytes()) - minFreeBytes
    taken = 0
    return Math.min(inStore, onDisk)
  })

  /** @param counted what is used of the room from now on, if the bytes fit */
  async function claim(bytes: number, counted: number): Promise<void> {
    if (maxStoreBytes === undefined && minFreeBytes === undefined) return
    // Compared and counted without a pause: uploads that waited for the same measurement share what it has found.
    const left = (await room.get()) - taken
    if (left <= 0 || bytes > left) throw noSpace()
    taken += counted
  }

  return {
    /** @throws ServiceError `unavailable` when an upload of so many bytes would not fit now */
    check: (bytes: number) => claim(bytes, 0),
    /** Checks, and counts the bytes as used from now on. @throws ServiceError as `check` */
    take: (bytes: number) => claim(bytes, bytes),
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
