import { ServiceError } from '../errors'
import { FPS } from './frames'
import { newestObjects } from './newestObjects'
import type { LocalFile, ObjectStore } from './ports'
import type { Preview } from './prepare/preparePreview'
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
  create(preview: Preview, original: Original, signal: AbortSignal): Promise<Session>
  /** @throws ServiceError `not-found` for an unknown, expired or malformed id */
  find(id: string): Promise<Session>
  /** Local files of a session that stay readable until they are released, whoever removes the session meanwhile. */
  checkOut(session: Session, what: 'preview' | 'original'): Promise<LocalFile>
  remove(id: string): Promise<void>
  /** Removes expired sessions, and objects of sessions that were never finished. @returns how many sessions went */
  sweep(): Promise<number>
}

/**
 * Where an original comes from: a local file, which is taken; or one that another object holds, too, whose bytes then
 * need not be sent again.
 */
export type Original = { readonly path: string; readonly storedAs?: string }

/** What has no record is being written for as long as this; after it, whoever wrote it has given up or is gone. */
const ORPHAN_AGE_MS = 60 * 60_000
const LONGEST_WRITING_MS = 50 * 60_000

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

  async function storeOriginal(key: string, { path, storedAs }: Original): Promise<void> {
    const contentType = 'application/octet-stream'
    if (storedAs === undefined) return store.putFile(key, path, { contentType, consume: true })
    // Where the other object is gone by now, the local file still has its bytes.
    if (!(await store.copy(storedAs, key, { contentType }))) await store.putFile(key, path, { contentType })
  }

  return {
    remove,

    async create(preview, original, signal) {
      const startedMs = now()
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
        await storeOriginal(keys.original, original)
        signal.throwIfAborted()
        if (now() - startedMs > LONGEST_WRITING_MS) throw tooSlowToStore()
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
        // It is gone in any case: whoever may only read, or cannot right now, leaves its files to the sweep.
        await remove(id).catch(() => undefined)
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
      let removed = 0
      for (const [id, modifiedMs] of await newestObjects(store, 'sessions/', sessionIdOfKey)) {
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

/** The sweep might take for orphans what is still being written. */
function tooSlowToStore(): ServiceError {
  return new ServiceError('unavailable', 'The storage took too long. Try again later.')
}
