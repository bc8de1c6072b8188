import type { ObjectStore } from '../objectStore/ports'
import { type Group, sweepGroups } from '../objectStore/sweepGroups'
import { isRecordOver } from '../sessions/recordLife'
import { UPLOAD_TTL_SECONDS, uploadIdOfKey, uploadKeys } from './upload'

/**
 * Removes expired uploads and the remains of removed ones.
 * @param mayGoOn see `sweepGroups`
 * @returns how many uploads were removed
 */
export function sweepUploads(
  { store, now }: { readonly store: ObjectStore; readonly now: () => number },
  mayGoOn: () => boolean,
): Promise<number> {
  function judge({ id, keys, newestMs }: Group): 'keep' | 'remove' | 'read' {
    // When no object is younger than the time to live it has expired, and no claim on it is running.
    if (now() - newestMs <= UPLOAD_TTL_SECONDS * 1000) return 'keep'
    return keys.includes(uploadKeys(id).record) ? 'read' : 'remove'
  }

  const isOver = (id: string) => isRecordOver(store, uploadKeys(id).record, UPLOAD_TTL_SECONDS, now)

  return sweepGroups(store, { prefix: 'uploads/', idOf: uploadIdOfKey, judge, isOver }, mayGoOn)
}
