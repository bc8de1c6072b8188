import { ServiceError } from '../errors'
import { CHECK_PREFIX, keptWarning } from './objectStore/examineStore'
import type { ObjectStore, StoreAccess } from './objectStore/ports'
import type { StoreClock } from './objectStore/storeClock'
import type { Sessions } from './sessions/sessions'
import type { Uploads } from './uploads/uploads'

/** How many were removed. */
export type Swept = {
  readonly sessions: number
  readonly uploads: number
  /** There was no time for the rest: the next sweep goes on. */
  readonly unfinished?: true
  /** Why what was removed still takes space. */
  readonly kept?: string
}

/** It examines the store, and reads when uploads and sessions of older versions expire. */
export const sweepAccess: StoreAccess = {
  check: ['read', 'list', 'write', 'remove'],
  answers: ['list', 'remove'],
  sessions: ['read', 'list', 'remove'],
  uploads: ['read', 'list', 'remove'],
}

/** Below it are answers that were too large for the gateway of a function. */
export const ANSWERS_PREFIX = 'answers/'

/** How long what is only wanted for a while is kept. */
const SHORT_TTL_MS = 3_600_000

/** A minute less than the function has on Lambda. */
const MAX_SWEEP_MS = 240_000

/**
 * Removes expired sessions and uploads, and what was never finished. It does not disturb requests that are running, here or
 * on other machines.
 * @returns undefined when nothing was looked at, because this machine's clock is wrong
 * @throws ServiceError `unavailable` when the store replaces objects that must not be replaced
 */
export async function sweepStore(dependencies: {
  readonly store: ObjectStore
  readonly storeClock: StoreClock
  readonly sessions: Pick<Sessions, 'sweep'>
  readonly uploads: Pick<Uploads, 'sweep'>
}): Promise<Swept | undefined> {
  const { store, storeClock, sessions, uploads } = dependencies
  const { refusesSecondWrite } = await storeClock.measure()
  if (!refusesSecondWrite) throw new ServiceError('unavailable', REPLACES)
  if (!storeClock.mayRemove()) return undefined
  const endsAt = storeClock.now() + MAX_SWEEP_MS
  // A clock that is set meanwhile ends it, too.
  const mayGoOn = () => storeClock.now() < endsAt && storeClock.mayRemove()
  const removed = { sessions: await sessions.sweep(mayGoOn), uploads: await uploads.sweep(mayGoOn) }
  const left: string[] = []
  for (const prefix of [CHECK_PREFIX, ANSWERS_PREFIX])
    for await (const { key, modifiedAt } of store.list(prefix))
      if (storeClock.unixTime() - modifiedAt.getTime() > SHORT_TTL_MS) left.push(key)
  if (left.length > 0) await store.delete(left)
  const kept = keptWarning(store)
  return { ...removed, ...(!mayGoOn() && { unfinished: true }), ...(kept !== undefined && { kept }) }
}

const REPLACES =
  'The storage replaces objects that must not be replaced: it ignores If-None-Match on PUT. Use a store that knows it.'
