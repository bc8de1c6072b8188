import { randomBytes } from 'node:crypto'
import type { Clock } from '#core/async/clock'
import type { Log } from '#core/log'
import type { ObjectStore } from '../objectStore/ports'
import { readExpiry } from '../sessions/recordLife'
import { isExpired } from '../sessions/session'
import { newestObjects } from '../sessions/sessions'
import {
  decodeUpload,
  encodeUpload,
  isUploadId,
  newUploadId,
  UPLOAD_TTL_SECONDS,
  type Upload,
  uploadIdOfKey,
  uploadKeys,
} from './upload'
import { inUse, notThereYet, otherSize, taken, unknownUpload } from './uploadErrors'
import { isFinal, statusAfter, type UploadStatus, writeStatus } from './uploadStatus'
import { type Watched, type Watcher, watchUpload } from './watchUpload'

export type UploadUse<T> = {
  /** Gets the upload, whose file is there and has its size. */
  readonly work: (upload: Upload, key: string, watched: Watched) => Promise<T>
  /** The session that the upload has become; undefined where it becomes none. */
  readonly sessionIdOf?: ((result: T) => string) | undefined
}

export type Uploads = {
  /** Allows one file of this size and type. */
  create(file: Pick<Upload, 'size' | 'contentType'>): Promise<Upload>
  /** @throws ServiceError `not-found` for an unknown, used, expired or malformed id */
  find(id: string): Promise<Upload>
  /** @throws ServiceError `conflict` when the upload has its file already */
  mustBeEmpty(upload: Upload): Promise<void>
  /** Stores a local file, which the store takes, as the upload's. @throws ServiceError as `find` and `mustBeEmpty` */
  put(upload: Upload, path: string): Promise<void>
  /**
   * Uses an upload up: one caller at a time, on however many machines. When `work` succeeds or finds the file to be bad,
   * or the upload is cancelled, it is removed; after any other failure it can be used again. What is left of a removed
   * upload is its status, until the sweep.
   * @throws ServiceError as `find`; `conflict` when it is in use, was cancelled, or its file has not arrived yet
   * @see docs/decisions.md, D17
   */
  use<T>(id: string, watcher: Watcher, use: UploadUse<T>): Promise<T>
  /** Receives the file of an upload, which can be followed and cancelled meanwhile. */
  receive(upload: Upload, watcher: Watcher, work: (watched: Watched) => Promise<void>): Promise<void>
  /** Removes an upload, as far as there is any of it, and keeps its status. */
  remove(id: string): Promise<void>
  /** Removes expired uploads and the remains of removed ones. @returns how many uploads were removed */
  sweep(): Promise<number>
}

export function createUploads(dependencies: {
  readonly store: ObjectStore
  /** Unix time in milliseconds. */
  readonly now: () => number
  readonly clock: Pick<Clock, 'now' | 'unixTime' | 'after'>
  readonly log: Log
}): Uploads {
  const { store, now, log } = dependencies

  async function find(id: string): Promise<Upload> {
    const bytes = isUploadId(id) ? await store.get(uploadKeys(id).record) : undefined
    const upload = bytes && decodeUpload(bytes)
    if (!upload || isExpired(upload.expiresAt, now())) throw unknownUpload()
    return upload
  }

  /** Whether its record says that it has not expired. */
  async function isUsable(id: string): Promise<boolean> {
    const bytes = await store.get(uploadKeys(id).record)
    const expiresAt = bytes && readExpiry(bytes, UPLOAD_TTL_SECONDS)
    return expiresAt !== undefined && !isExpired(expiresAt, now())
  }

  /** The claim is removed last: a caller that can claim the upload afterwards finds no file. */
  async function remove(id: string): Promise<void> {
    const { record, file, stored, claim, cancel } = uploadKeys(id)
    await store.delete([record, file, stored])
    await store.delete([claim, cancel])
  }

  /**
   * Creates an object that only one caller can create, on however many machines. The object holds a random mark, so
   * that a repeated request, after a lost answer, recognises its own object.
   */
  async function isFirst(key: string): Promise<boolean> {
    const mark = randomBytes(16).toString('hex')
    const isOurs = async () => new TextDecoder().decode(await store.get(key)) === mark
    try {
      const bytes = new TextEncoder().encode(mark)
      return (await store.createBytes(key, bytes, { contentType: 'text/plain' })) || (await isOurs())
    } catch (error) {
      // The object may have been created all the same.
      await tidy(isOurs().then((isSo) => (isSo ? store.delete([key]) : undefined)))
      throw error
    }
  }

  const seconds = () => Math.floor(now() / 1000)

  /** Tells how work on an upload has ended, then removes it or lets it be used again. Never rejects. */
  async function finish(id: string, outcome: UploadStatus | undefined): Promise<void> {
    if (outcome) await tidy(writeStatus(store, id, outcome))
    await tidy(outcome && isFinal(outcome) ? remove(id) : store.delete([uploadKeys(id).claim]))
  }

  async function mustBeEmpty({ id }: Upload): Promise<void> {
    if (await store.head(uploadKeys(id).file)) throw taken()
  }

  async function mustBeComplete({ id, size }: Upload): Promise<void> {
    const head = await store.head(uploadKeys(id).file)
    if (!head) throw notThereYet()
    if (head.size !== size) throw otherSize(size)
  }

  /** Removes objects as far as possible: what stays behind is unusable, and the sweep removes it. */
  async function tidy(removal: Promise<void>): Promise<void> {
    await removal.catch((error: unknown) => log.warn('an upload was not removed', { error: String(error) }))
  }

  return {
    find,
    mustBeEmpty,

    async create({ size, contentType }) {
      const createdAt = seconds()
      const expiresAt = createdAt + UPLOAD_TTL_SECONDS
      const upload = { id: newUploadId(), createdAt, expiresAt, size, contentType }
      await store.createBytes(uploadKeys(upload.id).record, encodeUpload(upload), {
        contentType: 'application/json',
      })
      return upload
    },

    async put(upload, path) {
      const keys = uploadKeys(upload.id)
      // The upload may have been used or have expired while its bytes arrived.
      await find(upload.id)
      if (!(await isFirst(keys.stored))) throw taken()
      try {
        await store.putFile(keys.file, path, { contentType: upload.contentType, consume: true })
      } catch (error) {
        await tidy(store.delete([keys.stored]))
        throw error
      }
    },

    remove,

    async use(id, watcher, { work, sessionIdOf }) {
      const upload = await find(id)
      const { file, claim } = uploadKeys(id)
      if (!(await isFirst(claim))) throw inUse()
      try {
        await mustBeComplete(upload)
        const result = await watchUpload(dependencies, id, 'preparing', watcher, (watched) =>
          work(upload, file, watched),
        )
        await finish(id, { state: 'done', sessionId: sessionIdOf?.(result), updatedAt: seconds() })
        return result
      } catch (error) {
        await finish(id, statusAfter(error, seconds()))
        throw error
      }
    },

    async receive({ id }, watcher, work) {
      try {
        await watchUpload(dependencies, id, 'receiving', watcher, work)
      } finally {
        const { status, cancel } = uploadKeys(id)
        const isCancelled = (await store.head(cancel).catch(() => undefined)) !== undefined
        if (isCancelled) await finish(id, { state: 'cancelled', updatedAt: seconds() })
        else await tidy(store.delete([status]))
      }
    },

    async sweep() {
      let removed = 0
      // No object of such an upload is younger than the time to live: it has expired, and no claim on it is running.
      for (const [id, modifiedMs] of await newestObjects(store, 'uploads/', uploadIdOfKey)) {
        if (now() - modifiedMs <= UPLOAD_TTL_SECONDS * 1000 || (await isUsable(id))) continue
        await remove(id)
        await store.delete([uploadKeys(id).status])
        removed += 1
      }
      return removed
    },
  }
}
