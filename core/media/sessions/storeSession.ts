import { ServiceError } from '@lantern-room/base'
import { bothOrNone } from '@lantern-room/base/async'
import { FPS } from '../frames'
import type { ObjectStore } from '../objectStore/ports'
import type { DatedPreview } from '../traits'
import { encodeSession, type Session, sessionKeys, toldKeys } from './session'

/**
 * A session's original: a local file, which the store takes. With `storedAs`, the key of an object with the same bytes,
 * the store copies that object and the local file stays.
 */
export type Original = { readonly path: string; readonly storedAs?: string }

/** How long the files of a session may take to be written. */
export const MAX_WRITE_MS = 50 * 60_000

/**
 * @param client the name of whom it is made for
 * @param nowMs Unix time in milliseconds
 */
export function newSession(
  { id, client }: Pick<Session, 'id' | 'client'>,
  preview: DatedPreview,
  ttlSeconds: number,
  nowMs: number,
): Session {
  const createdAt = Math.floor(nowMs / 1000)
  const { path: _, strip, still, ...facts } = preview
  return {
    id,
    createdAt,
    expiresAt: createdAt + ttlSeconds,
    durationMs: Math.round((preview.frames / FPS) * 1000),
    ...facts,
    strip: strip?.layout,
    still: still && { seconds: still.seconds, lost: still.lost },
    client,
  }
}

/**
 * Stores preview, filmstrip, still and original, then the record, by which the session exists. What is stored before a failure
 * is left to the caller.
 * @throws ServiceError `unavailable` when it takes too long, `conflict` when the session was prevented; what the store throws; the signal's reason
 */
export async function storeSession(
  { store, now }: { readonly store: ObjectStore; readonly now: () => number },
  session: Session,
  { preview, original }: { readonly preview: DatedPreview; readonly original: Original },
  signal: AbortSignal,
): Promise<void> {
  const startedMs = now()
  const keys = sessionKeys(session.id)
  const storeFile = (key: string, path: string, contentType: string) =>
    store.putFile(key, path, { contentType, consume: true })
  const contentType = 'application/octet-stream'
  await bothOrNone(
    signal,
    () => storeFile(keys.preview, preview.path, 'video/mp4'),
    () => Promise.all(toldKeys(session).map((key) => store.putBytes(key, new Uint8Array(), { contentType }))),
  )
  if (preview.strip) await storeFile(keys.strip, preview.strip.path, 'image/jpeg')
  if (preview.still) await storeFile(keys.still, preview.still.path, contentType)
  signal.throwIfAborted()
  await storeOriginal(store, keys.original, original)
  signal.throwIfAborted()
  // A sweep elsewhere could remove the unfinished session as an orphan.
  if (now() - startedMs > MAX_WRITE_MS) {
    throw new ServiceError('unavailable', 'The storage took too long. Try again later.')
  }
  const record = encodeSession(session)
  if (await store.createBytes(keys.record, record, { contentType: 'application/json' })) return
  // Nobody else has this id: unless it is empty, the record is our own, and the answer to an earlier try was lost.
  if ((await store.get(keys.record))?.length) return
  // By `Sessions.settle`, of a host that took this one for ended.
  throw new ServiceError('conflict', 'Another host has taken this upload over. Ask it for the session.')
}

async function storeOriginal(store: ObjectStore, key: string, { path, storedAs }: Original): Promise<void> {
  const contentType = 'application/octet-stream'
  if (storedAs === undefined) return store.putFile(key, path, { contentType, consume: true })
  // If the other object is gone by now, the local file still has its bytes.
  if (!(await store.copy(storedAs, key, { contentType }))) await store.putFile(key, path, { contentType })
}
