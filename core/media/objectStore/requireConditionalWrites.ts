import { ServiceError } from '@lantern-room/base'
import type { BucketSettings } from '../config'
import type { ObjectStore } from './ports'
import type { StoreClock } from './storeClock'

/**
 * Measures the store's clock, and refuses a store that would let one upload be used several times.
 * @param bucket where sessions live; undefined = in the data folder
 * @throws ServiceError `unavailable` that names the setting of the store
 * @see docs/decisions.md, D148
 * @example await requireConditionalWrites(storeClock, config.s3, store)
 */
export async function requireConditionalWrites(
  storeClock: Pick<StoreClock, 'measure'>,
  bucket: Pick<BucketSettings, 'bucket' | 'endpoint'> | undefined,
  { keepsDeleted }: Pick<ObjectStore, 'keepsDeleted'> = {},
): Promise<void> {
  const remedy = bucket
    ? 'Use a store that knows conditional writes, or unset S3_BUCKET.'
    : 'Set DATA_DIR to a folder on a local disk.'
  const refused = (why: string, cause?: unknown) =>
    new ServiceError('unavailable', `${titleOf(bucket)} cannot be used: ${why} ${remedy}`, {
      cause,
    })
  const { refusesSecondWrite } = await storeClock.measure().catch((cause: unknown) => {
    throw refused('it failed to write an object only where there is none (PUT with If-None-Match: *).', cause)
  })
  if (refusesSecondWrite) return
  if (keepsDeleted?.()) throw refused(VERSIONED)
  throw refused(
    'it replaced an object that must not be replaced (it ignores If-None-Match: *), so that one upload could be prepared several times.',
  )
}

const VERSIONED =
  'it is versioned, and this store then ignores If-None-Match: *, so that one upload could be prepared several times. Suspend versioning.'

function titleOf(bucket: Pick<BucketSettings, 'bucket' | 'endpoint'> | undefined): string {
  if (!bucket) return 'The data folder (DATA_DIR)'
  const at = bucket.endpoint === undefined ? '' : ` at ${bucket.endpoint} (S3_ENDPOINT)`
  return `The bucket ${bucket.bucket} (S3_BUCKET)${at}`
}
