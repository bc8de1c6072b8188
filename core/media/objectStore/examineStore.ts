import { randomBytes } from 'node:crypto'
import { ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import type { ObjectStore } from './ports'

/** Below it are objects that only prove that the store works. */
export const CHECK_PREFIX = 'check/'

/** By how much a store may round down when it wrote an object: S3 tells whole seconds, and some file systems even ones. */
export const ROUNDING_MS = 2000

/**
 * Creates an object twice, and reads when the store says that it was written. The key is random, so that hosts which do it
 * at the same time do not meet. The object is removed; one that stays behind is left to the sweep.
 * @throws what the store throws; ServiceError `unavailable` when it loses the object
 */
export async function examineStore(
  store: Pick<ObjectStore, 'createBytes' | 'head' | 'delete'>,
  clock: Pick<Clock, 'now' | 'unixTime'>,
) {
  const key = `${CHECK_PREFIX}${randomBytes(16).toString('hex')}`
  const create = () =>
    store.createBytes(key, new Uint8Array([1]), { contentType: 'application/octet-stream' })
  try {
    const unixMs = clock.unixTime()
    const startedAt = clock.now()
    const isCreated = await create()
    const tookMs = clock.now() - startedAt
    const head = await store.head(key)
    if (!isCreated || !head) throw new ServiceError('unavailable', LOST)
    const leastMs = unixMs - head.modifiedAt.getTime() - ROUNDING_MS
    return {
      /** Whether it refused to create the object a second time. @see docs/decisions.md, D17 */
      refusesSecondWrite: !(await create()),
      /** How far this machine's clock is ahead of the store's at least and at most; negative where it is behind. */
      aheadMs: [leastMs, leastMs + ROUNDING_MS + tookMs] as const,
    }
  } finally {
    await store.delete([key]).catch(() => undefined)
  }
}

/**
 * Tells the operator that the store keeps what is deleted; undefined where it does not.
 * @example keptWarning(store) ?? 'nothing to warn of'
 */
export function keptWarning({ keepsDeleted }: Pick<ObjectStore, 'keepsDeleted'>): string | undefined {
  if (!keepsDeleted?.()) return undefined
  return 'The bucket keeps all that is deleted as earlier versions (versioning or Object Lock). Add a lifecycle rule that expires noncurrent versions after a day, and delete markers without any; with Object Lock they stay until their retention is over. Or use a bucket without.'
}

const LOST = 'The storage does not keep what it is given. Try again later.'
