import type { ObjectStore } from '../objectStore/ports'
import { type Group, sweepGroups } from '../objectStore/sweepGroups'
import { isRecordOver } from './recordLife'
import { expiryIn, isExpired, sessionIdOfKey, sessionKeys } from './session'
import { MAX_WRITE_MS } from './storeSession'

/** Younger objects without a record may belong to a session that is being written; includes a margin for differing clocks. */
const ORPHAN_AGE_MS = MAX_WRITE_MS + 10 * 60_000

/** Sessions of older versions, whose keys do not tell when they expire, are looked at from this age on. */
const LOOKED_AT_MS = 86_400_000

/**
 * Removes expired sessions, and objects of sessions that were never finished.
 * @param of.ttlSeconds for records of older versions
 * @param mayGoOn see `sweepGroups`
 * @returns how many sessions were removed
 */
export function sweepSessions(
  of: { readonly store: ObjectStore; readonly ttlSeconds: number; readonly now: () => number },
  mayGoOn: () => boolean,
): Promise<number> {
  const { store, ttlSeconds, now } = of

  function judge({ id, keys, newestMs }: Group): 'keep' | 'remove' | 'read' {
    const ageMs = now() - newestMs
    if (!keys.includes(sessionKeys(id).record)) return ageMs > ORPHAN_AGE_MS ? 'remove' : 'keep'
    const expiresAt = expiryIn(keys)
    if (expiresAt !== undefined) return isExpired(expiresAt, now()) ? 'remove' : 'keep'
    return ageMs > Math.min(LOOKED_AT_MS, ttlSeconds * 1000) ? 'read' : 'keep'
  }

  const isOver = (id: string) => isRecordOver(store, sessionKeys(id).record, ttlSeconds, now)

  return sweepGroups(store, { prefix: 'sessions/', idOf: sessionIdOfKey, judge, isOver }, mayGoOn)
}
