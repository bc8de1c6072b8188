import { ServiceError } from '../errors'
import { FPS } from './frames'
import type { LocalFile, ObjectStore } from './ports'
import type { Preview } from './prepare/preparing'
import {
  decodeSession,
  encodeSession,
  isExpired,
  isSessionId,
  newSessionId,
  type Session,
  sessionIdOfKey,
  sessionKeys,
} from './session'

export type Sessions = {
  /** Stores preview and original, then the record: a session exists whole or not at all. */
  create(preview: Preview, originalPath: string, signal: AbortSignal): Promise<Session>
  /** @throws ServiceError `not-found` for an unknown, expired or malformed id */
  find(id: string): Promise<Session>
  /** Local files of a session that stay readable until they are released, whoever removes the session meanwhile. */
  checkOut(session: Session, what: 'preview' | 'original'): Promise<LocalFile>
  remove(id: string): Promise<void>
  /** Removes expired sessions, and objects of sessions that were never finished. @returns how many sessions went */
  sweep(): Promise<number>
}

/** A session without a record is being written for as long as this; after it, whoever wrote it is gone. */
const ORPHAN_AGE_MS = 10 * 60_000

export function createSessions(dependencies: {
  readonly store: ObjectStore
  readonly ttlSeconds: number
  /** Unix time in milliseconds. */
  readonly now: () => number
}): Sessions {
  const { store, ttlSeconds, now } = dependencies

  async function remove(id: string): Promise<void> {
    const keys = sessionKeys(id)
    // The record goes first: from then on the session does not exist, even if the rest fails.
    await store.delete([keys.record])
    await store.delete([keys.preview, keys.original])
  }

  async function read(id: string): Promise<Session | undefined> {
    const bytes = await store.get(sessionKeys(id).record)
    return bytes && decodeSession(bytes)
  }

  return {
    remove,

    async create(preview, originalPath, signal) {
      const id = newSessionId()
      const keys = sessionKeys(id)
      const session: Session = {
        id,
        createdAt: Math.floor(now() / 1000),
        durationMs: Math.round((preview.frames / FPS) * 1000),
        frames: preview.frames,
        width: preview.width,
        height: preview.height,
        hasAudio: preview.hasAudio,
        original: preview.original,
      }
      try {
        await store.putFile(keys.preview, preview.path, { contentType: 'video/mp4', consume: true })
        signal.throwIfAborted()
        await store.putFile(keys.original, originalPath, {
          contentType: 'application/octet-stream',
          consume: true,
        })
        signal.throwIfAborted()
        await store.createBytes(keys.record, encodeSession(session), { contentType: 'application/json' })
        return session
      } catch (error) {
        await remove(id).catch(() => undefined)
        throw error
      }
    },

    async find(id) {
      const session = isSessionId(id) ? await read(id) : undefined
      if (!session) throw unknownSession()
      if (isExpired(session.createdAt, ttlSeconds, now())) {
        await remove(id)
        throw unknownSession()
      }
      return session
    },

    async checkOut(session, what) {
      const file = await store.checkOut(sessionKeys(session.id)[what])
      if (!file) throw unknownSession()
      return file
    },

    async sweep() {
      const newest = new Map<string, number>()
      for await (const { key, modifiedAt } of store.list('sessions/')) {
        const id = sessionIdOfKey(key)
        if (id) newest.set(id, Math.max(newest.get(id) ?? 0, modifiedAt.getTime()))
      }
      let removed = 0
      for (const [id, modifiedMs] of newest) {
        const session = await read(id)
        const isGarbage = session
          ? isExpired(session.createdAt, ttlSeconds, now())
          : now() - modifiedMs > ORPHAN_AGE_MS
        if (!isGarbage) continue
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
