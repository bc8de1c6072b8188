import { type Log, ServiceError } from '@lantern-room/base'
import {
  removeOldQuotas,
  shownClient,
  TOLD_PREFIX,
  uploadIdOfTold,
  WAITING_PREFIX,
} from '@lantern-room/clients'
import { CHECK_PREFIX, keptWarning } from './objectStore/examineStore'
import type { ObjectStore } from './objectStore/ports'
import type { StoreClock } from './objectStore/storeClock'
import { type Group, type SweepRules, sweepGroups } from './objectStore/sweepGroups'
import { clientIn, expiryIn, isExpired, sessionIdOfKey, sessionKeys } from './sessions/session'
import { MAX_WRITE_MS } from './sessions/storeSession'
import { ACCEPTED_TTL_SECONDS, UPLOAD_TTL_SECONDS, uploadIdOfKey, uploadKeys } from './uploads/upload'

/** Below it are answers that were too large for the gateway of a function. */
export const ANSWERS_PREFIX = 'answers/'

/** How long what is only wanted for a while is kept, by prefix. */
const SMALL_OBJECTS = [
  [CHECK_PREFIX, 3_600_000],
  [ANSWERS_PREFIX, 3_600_000],
  [WAITING_PREFIX, ACCEPTED_TTL_SECONDS * 1000],
] as const

/** A minute less than the function has on Lambda. */
const MAX_SWEEP_MS = 240_000

/**
 * Removes expired sessions and uploads, and what was never finished. It does not disturb requests that are running, here or
 * on other machines.
 * @returns how many were removed; `unfinished`: there was no time for the rest, and the next sweep goes on; `kept`: why what was
 *   removed still takes space. Undefined when nothing was looked at, because this machine's clock is wrong
 * @throws ServiceError `unavailable` when the store replaces objects that must not be replaced
 * @example const swept = await sweepStore({ store, storeClock, log })
 */
export async function sweepStore({
  store,
  storeClock,
  log,
}: {
  readonly store: ObjectStore
  readonly storeClock: StoreClock
  /** Is told of all sessions and files that are removed. */
  readonly log: Pick<Log, 'info'>
}) {
  const { refusesSecondWrite } = await storeClock.measure()
  if (!refusesSecondWrite) throw new ServiceError('unavailable', REPLACES)
  if (!storeClock.mayRemove()) return undefined
  const endsAt = storeClock.now() + MAX_SWEEP_MS
  // A clock that is set meanwhile ends it, too.
  const mayGoOn = () => storeClock.now() < endsAt && storeClock.mayRemove()
  const removed = {
    sessions: await sweepSessions(store, storeClock.unixTime, mayGoOn, (groups) =>
      auditSweep(log, 'session_ids', groups),
    ),
    uploads: await sweepGroups(store, uploadRules(storeClock.unixTime, log), mayGoOn),
  }
  const left: string[] = []
  for (const [prefix, ttlMs] of SMALL_OBJECTS)
    for await (const { key, modifiedAt } of store.list(prefix))
      if (storeClock.unixTime() - modifiedAt.getTime() > ttlMs) left.push(key)
  if (left.length > 0) await store.delete(left)
  await sweepGroups(store, toldRules(storeClock.unixTime), mayGoOn)
  await removeOldQuotas(store, storeClock.unixTime(), mayGoOn)
  const kept = keptWarning(store)
  return { ...removed, ...(!mayGoOn() && { unfinished: true }), ...(kept !== undefined && { kept }) }
}

/**
 * Younger objects without a record, or with the empty one by which `Sessions.settle` prevents a session, may belong to a session that is
 * being written; includes a margin for differing clocks.
 */
const ORPHAN_AGE_MS = MAX_WRITE_MS + 10 * 60_000

/** For a record without the key that tells when it expires, which another version may have written. */
const UNDATED_MS = 86_400_000

/** Removes expired sessions, and objects of sessions that were never finished. @returns how many sessions were removed */
export function sweepSessions(
  store: Pick<ObjectStore, 'list' | 'delete'>,
  now: () => number,
  mayGoOn: () => boolean,
  onRemoved?: SweepRules['onRemoved'],
): Promise<number> {
  const isOver: SweepRules['isOver'] = ({ id, keys, emptyKeys, newestMs }) => {
    const isStored = hasRecord({ id, keys, emptyKeys })
    const expiresAt = expiryIn(keys)
    return isStored && expiresAt !== undefined
      ? isExpired(expiresAt, now())
      : now() - newestMs > (isStored ? UNDATED_MS : ORPHAN_AGE_MS)
  }
  return sweepGroups(store, { prefix: 'sessions/', idOf: sessionIdOfKey, isOver, onRemoved }, mayGoOn)
}

/** Not the empty one by which a session was prevented. */
function hasRecord({ id, keys, emptyKeys }: Pick<Group, 'id' | 'keys' | 'emptyKeys'>): boolean {
  const { record } = sessionKeys(id)
  return keys.includes(record) && !emptyKeys.includes(record)
}

/** Ids in a line of the log, which thousands at a time would flood. */
const IDS_IN_LINE = 100

/** Logs what was removed, by client, and what had expired apart from what was never finished. */
function auditSweep(log: Pick<Log, 'info'>, name: 'session_ids' | 'upload_ids', groups: readonly Group[]) {
  const lots = new Map<string, { fields: object; ids: string[] }>()
  for (const group of groups) {
    const expired = name === 'upload_ids' || hasRecord(group)
    const fields = { ...shownClient({ name: clientIn(group.keys) }), expired }
    const lot = lots.get(JSON.stringify(fields)) ?? { fields, ids: [] }
    lots.set(JSON.stringify(fields), lot)
    lot.ids.push(group.id)
  }
  for (const { fields, ids } of lots.values())
    while (ids.length > 0) log.info('removed', { ...fields, [name]: ids.splice(0, IDS_IN_LINE) })
}

/** When no object of an upload is younger than the time to live it has expired, and no claim on it is running. */
function uploadRules(now: () => number, log: Pick<Log, 'info'>): SweepRules {
  // Of most uploads only the outcome is left.
  const hasFile = ({ id, keys }: Group) => keys.includes(uploadKeys(id).file)
  return {
    onRemoved: (groups) => auditSweep(log, 'upload_ids', groups.filter(hasFile)),
    prefix: 'uploads/',
    idOf: uploadIdOfKey,
    isOver: ({ id, keys, newestMs }) => {
      const seconds = keys.includes(uploadKeys(id).asked) ? ACCEPTED_TTL_SECONDS : UPLOAD_TTL_SECONDS
      return now() - newestMs > seconds * 1000
    },
  }
}

/** How callbacks have gone may be asked for as long as they are tried, and a while longer. */
function toldRules(now: () => number): SweepRules {
  return {
    prefix: TOLD_PREFIX,
    idOf: uploadIdOfTold,
    isOver: ({ newestMs }) => now() - newestMs > TOLD_TTL_MS,
  }
}

const TOLD_TTL_MS = 26 * 3_600_000

const REPLACES =
  'The storage replaces objects that must not be replaced: it ignores If-None-Match on PUT. Use a store that knows it.'
