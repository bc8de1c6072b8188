import { type Log, ServiceError } from '@lantern-room/base'
import { shownClient } from '@lantern-room/clients'
import type { ByteSource } from '@lantern-room/mp4/source'
import type { ByteRange, LocalFile, ObjectStore, OpenObject } from '../objectStore/ports'
import type { DatedPreview } from '../traits'
import { openObjectSource, removedMeanwhile } from './objectSource'
import { decodeSession, isExpired, isId, newId, type Session, sessionKeys, toldKeys } from './session'
import { newSession, type Original, storeSession } from './storeSession'

export type SessionsDependencies = {
  readonly store: ObjectStore
  /** Lifetime of sessions that are made here. */
  readonly ttlSeconds: number
  /** Unix time in milliseconds. */
  readonly now: () => number
  /** Whether an expired session may be removed when it is asked for. */
  readonly mayRemove: () => boolean
  /** Is told of each session that is removed because it has expired. @default nothing is logged */
  readonly log?: Pick<Log, 'info'> | undefined
}

export class Sessions {
  readonly #store: ObjectStore
  readonly #settings: Omit<SessionsDependencies, 'store'>

  constructor({ store, ...settings }: SessionsDependencies) {
    this.#store = store
    this.#settings = settings
  }

  /**
   * Stores preview, filmstrip and original, then the record: a session exists as a whole or not at all.
   * @param client its name. @default it has none
   */
  async create(
    preview: DatedPreview,
    original: Original,
    signal: AbortSignal,
    id = newId(),
    client?: string,
  ): Promise<Session> {
    const { ttlSeconds, now } = this.#settings
    const session = newSession({ id, client }, preview, ttlSeconds, now())
    try {
      await storeSession({ store: this.#store, now }, session, { preview, original }, signal)
      return session
    } catch (error) {
      await this.remove(session).catch(() => undefined)
      throw error
    }
  }

  /**
   * Prevents that a session is ever stored, by a record that is none, and removes what was stored of it. What a process that is slow
   * and not dead stores after that is left to the sweep.
   * @returns the session if it was stored before
   */
  async settle(id: string): Promise<Session | undefined> {
    const { record } = sessionKeys(id)
    const contentType = 'application/octet-stream'
    if (!(await this.#store.createBytes(record, new Uint8Array(), { contentType }))) {
      const bytes = await this.#store.get(record)
      // Another version's record may be one that this version cannot read.
      if (bytes && bytes.length > 0) return decodeSession(bytes)
    }
    await this.#removeRest(id).catch(() => undefined)
    return undefined
  }

  /** Removes everything of a session but its record. */
  async #removeRest(id: string): Promise<void> {
    const { record } = sessionKeys(id)
    const keys: string[] = []
    for await (const { key } of this.#store.list(`sessions/${id}/`)) if (key !== record) keys.push(key)
    if (keys.length > 0) await this.#store.delete(keys)
  }

  /** @throws ServiceError `not-found` for an unknown, expired or malformed id */
  async find(id: string): Promise<Session> {
    const bytes = isId(id) ? await this.#store.get(sessionKeys(id).record) : undefined
    const session = bytes && decodeSession(bytes)
    if (!session) throw unknownSession()
    const { now, mayRemove } = this.#settings
    if (isExpired(session.expiresAt, now())) {
      // The answer is the same if this fails, for example without the right to delete: the sweep removes the files later.
      if (mayRemove()) await this.#removeExpired(session).catch(() => undefined)
      throw unknownSession()
    }
    return session
  }

  /** Size in bytes of a session's preview. @throws ServiceError `not-found` */
  async previewSize(id: string): Promise<number> {
    const session = await this.find(id)
    const head = await this.#store.head(sessionKeys(session.id).preview)
    if (!head) throw removedMeanwhile()
    return head.size
  }

  /** The result must be read to its end or cancelled. @throws ServiceError `not-found` */
  async openPreview(id: string, range: ByteRange | undefined): Promise<OpenObject> {
    const opened = await this.#store.open(sessionKeys(id).preview, range)
    if (!opened) throw removedMeanwhile()
    return opened
  }

  /** The bytes of a file, read from the store by range. @throws ServiceError `not-found` */
  async source({ id }: Session, file: 'preview' | 'original'): Promise<ByteSource> {
    const source = await openObjectSource(this.#store, sessionKeys(id)[file])
    if (!source) throw unknownSession()
    return source
  }

  /** A file on this machine that stays readable until it is released, even when the session is removed meanwhile. */
  async checkOut({ id }: Session, file: 'preview' | 'original'): Promise<LocalFile> {
    const local = await this.#store.checkOut(sessionKeys(id)[file])
    if (!local) throw unknownSession()
    return local
  }

  /** The filmstrip, a JPEG, or the picture of the photo that was the source, where a session has them. @throws ServiceError `not-found` */
  async read({ id }: Session, file: 'strip' | 'still'): Promise<Uint8Array> {
    const bytes = await this.#store.get(sessionKeys(id)[file])
    if (!bytes) throw removedMeanwhile()
    return bytes
  }

  async remove(session: Pick<Session, 'id' | 'expiresAt' | 'client'>): Promise<void> {
    const { record, preview, original, strip, still } = sessionKeys(session.id)
    // The record goes first: from then on the session does not exist, even if the rest fails.
    await this.#store.delete([record])
    await this.#store.delete([preview, original, strip, still, ...toldKeys(session)])
  }

  async #removeExpired(session: Session): Promise<void> {
    await this.remove(session)
    const { id, client } = session
    this.#settings.log?.info('removed', { session_id: id, ...shownClient({ name: client }), expired: true })
  }
}

function unknownSession(): ServiceError {
  return new ServiceError(
    'not-found',
    'There is no such session: it has expired or was removed. Upload the video again.',
  )
}
