import { ServiceError } from '#core/errors'
import type { ByteSource } from '#core/formats/source/byteSource'
import { createByteCache } from '../byteCache'
import type { ByteRange, LocalFile, ObjectStore, OpenObject } from '../objectStore/ports'
import type { Preview } from '../traits'
import { headBytesOf, openObjectSource } from './objectSource'
import { readExpiry } from './recordLife'
import { isExpired, isSessionId, type Session, sessionIdOfKey, sessionKeys } from './session'
import { decodeSession } from './sessionRecord'
import { MAX_WRITE_MS, newSession, type Original, storeSession } from './storeSession'

export type Sessions = {
  /** Stores preview, filmstrip and original, then the record: a session exists as a whole or not at all. */
  create(preview: Preview, original: Original, signal: AbortSignal): Promise<Session>
  /** @throws ServiceError `not-found` for an unknown, expired or malformed id */
  find(id: string): Promise<Session>
  /** Size in bytes of a session's preview. @throws ServiceError `not-found` */
  previewSize(id: string): Promise<number>
  /** The result must be read to its end or cancelled. @throws ServiceError `not-found` */
  openPreview(id: string, range: ByteRange | undefined): Promise<OpenObject>
  /** The preview's bytes, read from the store by range. @throws ServiceError `not-found` */
  previewSource(session: Session): Promise<ByteSource>
  /** The same of the upload that the session was made of. */
  originalSource(session: Session): Promise<ByteSource>
  /** The filmstrip, a JPEG; undefined for a session without one. @throws ServiceError `not-found` */
  readStrip(session: Session): Promise<Uint8Array | undefined>
  /** The picture of the photo that was the source; undefined for other sources. @throws ServiceError `not-found` */
  readStill(session: Session): Promise<Uint8Array | undefined>
  /** The preview as a local file that stays readable until it is released, even when the session is removed meanwhile. */
  checkOutPreview(session: Session): Promise<LocalFile>
  /** The same of the upload that the session was made of. */
  checkOutOriginal(session: Session): Promise<LocalFile>
  remove(id: string): Promise<void>
  /** Removes expired sessions, and objects of sessions that were never finished. @returns how many sessions were removed */
  sweep(): Promise<number>
}

/** Until then objects without a record may still be in the course of being written, with a margin for clocks that differ. */
const ORPHAN_AGE_MS = MAX_WRITE_MS + 10 * 60_000

/** Of what sources keep: the first bytes of the files that were read last. */
const MAX_HEADS_BYTES = 8 * 1024 * 1024

export function createSessions(dependencies: {
  readonly store: ObjectStore
  /** Of sessions that are made here. */
  readonly ttlSeconds: number
  /** Unix time in milliseconds. */
  readonly now: () => number
  /** Whether an expired session may be removed when it is asked for. By default it may. */
  readonly mayRemove?: () => boolean
}): Sessions {
  const { store, ttlSeconds, now, mayRemove = () => true } = dependencies
  const sources = createByteCache<ByteSource>(MAX_HEADS_BYTES, headBytesOf)

  async function remove(id: string): Promise<void> {
    const keys = sessionKeys(id)
    // The record goes first: from then on the session does not exist, even if the rest fails.
    await store.delete([keys.record])
    await store.delete([keys.preview, keys.original, keys.strip, keys.still])
  }

  async function find(id: string): Promise<Session> {
    const bytes = isSessionId(id) ? await store.get(sessionKeys(id).record) : undefined
    const session = bytes && decodeSession(bytes, ttlSeconds)
    if (!session) throw unknownSession()
    if (isExpired(session.expiresAt, now())) {
      // The answer is the same if this fails, for example without the right to delete: the sweep removes the files later.
      if (mayRemove()) await remove(id).catch(() => undefined)
      throw unknownSession()
    }
    return session
  }

  /** @param modifiedMs when its newest object was stored */
  async function isGarbage(id: string, modifiedMs: number): Promise<boolean> {
    const bytes = await store.get(sessionKeys(id).record)
    const expiresAt = bytes && readExpiry(bytes, ttlSeconds)
    return expiresAt === undefined ? now() - modifiedMs > ORPHAN_AGE_MS : isExpired(expiresAt, now())
  }

  const sourceOf = (key: string) =>
    sources.get(key, async () => {
      const source = await openObjectSource(store, key)
      if (!source) throw unknownSession()
      return source
    })

  async function checkOutFile(key: string): Promise<LocalFile> {
    const file = await store.checkOut(key)
    if (!file) throw unknownSession()
    return file
  }

  async function readKept(key: string): Promise<Uint8Array> {
    const bytes = await store.get(key)
    if (!bytes) throw removedMeanwhile()
    return bytes
  }

  return {
    find,
    remove,

    async create(preview, original, signal) {
      const session = newSession(preview, ttlSeconds, now())
      try {
        await storeSession({ store, now }, session, { preview, original }, signal)
        return session
      } catch (error) {
        await remove(session.id).catch(() => undefined)
        throw error
      }
    },

    async previewSize(id) {
      const session = await find(id)
      const head = await store.head(sessionKeys(session.id).preview)
      if (!head) throw removedMeanwhile()
      return head.size
    },

    async openPreview(id, range) {
      const opened = await store.open(sessionKeys(id).preview, range)
      if (!opened) throw removedMeanwhile()
      return opened
    },

    previewSource: ({ id }) => sourceOf(sessionKeys(id).preview),
    originalSource: ({ id }) => sourceOf(sessionKeys(id).original),

    readStrip: async ({ id, strip }) => strip && (await readKept(sessionKeys(id).strip)),
    readStill: async ({ id, still }) => still && (await readKept(sessionKeys(id).still)),

    checkOutPreview: ({ id }) => checkOutFile(sessionKeys(id).preview),
    checkOutOriginal: ({ id }) => checkOutFile(sessionKeys(id).original),

    async sweep() {
      let removed = 0
      for (const [id, modifiedMs] of await newestObjects(store, 'sessions/', sessionIdOfKey)) {
        if (!(await isGarbage(id, modifiedMs))) continue
        await remove(id)
        removed += 1
      }
      return removed
    },
  }
}

function unknownSession(): ServiceError {
  return new ServiceError(
    'not-found',
    'There is no such session: it has expired or was removed. Upload the video again.',
  )
}

function removedMeanwhile(): ServiceError {
  return new ServiceError('not-found', 'The session was removed just now. Upload the video again.')
}

/**
 * Groups the objects below a prefix by the session or upload that they belong to.
 * @param idOf the id in a key; objects with an undefined id are ignored
 * @returns per id, when its newest object was stored: Unix time in milliseconds
 */
export async function newestObjects(
  store: Pick<ObjectStore, 'list'>,
  prefix: string,
  idOf: (key: string) => string | undefined,
): Promise<ReadonlyMap<string, number>> {
  const newest = new Map<string, number>()
  for await (const { key, modifiedAt } of store.list(prefix)) {
    const id = idOf(key)
    if (id !== undefined) newest.set(id, Math.max(newest.get(id) ?? 0, modifiedAt.getTime()))
  }
  return newest
}
