import { randomBytes } from 'node:crypto'
import type { Clock } from '#core/async/clock'
import type { Log } from '#core/log'
import type { ObjectStore } from '../objectStore/ports'
import { sweepGroups } from '../objectStore/sweepGroups'
import { readExpiry } from '../sessions/recordLife'
import { isExpired } from '../sessions/session'
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

export type UploadsDependencies = {
  readonly store: ObjectStore
  /** Unix time in milliseconds. */
  readonly now: () => number
  readonly clock: Pick<Clock, 'now' | 'unixTime' | 'after'>
  readonly log: Log
}

/** The uploads in a store. */
export class Uploads {
  readonly #dependencies: UploadsDependencies

  constructor(dependencies: UploadsDependencies) {
    this.#dependencies = dependencies
  }

  /** Allows one file of this size and type. */
  async create({ size, contentType }: Pick<Upload, 'size' | 'contentType'>): Promise<Upload> {
    const createdAt = this.#seconds()
    const expiresAt = createdAt + UPLOAD_TTL_SECONDS
    const upload = { id: newUploadId(), createdAt, expiresAt, size, contentType }
    await this.#store.createBytes(uploadKeys(upload.id).record, encodeUpload(upload), {
      contentType: 'application/json',
    })
    return upload
  }

  /** @throws ServiceError `not-found` for an unknown, used, expired or malformed id */
  async find(id: string): Promise<Upload> {
    const bytes = isUploadId(id) ? await this.#store.get(uploadKeys(id).record) : undefined
    const upload = bytes && decodeUpload(bytes)
    if (!upload || this.#isOver(upload.expiresAt)) throw unknownUpload()
    return upload
  }

  /** @throws ServiceError `conflict` when the upload has its file already */
  async mustBeEmpty({ id }: Upload): Promise<void> {
    if (await this.#store.head(uploadKeys(id).file)) throw taken()
  }

  /** Stores a local file, which the store takes, as the upload's. @throws ServiceError as `find` and `mustBeEmpty` */
  async put({ id, contentType }: Upload, path: string): Promise<void> {
    const { file, stored } = uploadKeys(id)
    // The upload may have been used or have expired while its bytes arrived.
    await this.find(id)
    if (!(await this.#isFirst(stored))) throw taken()
    try {
      await this.#store.putFile(file, path, { contentType, consume: true })
    } catch (error) {
      await this.#tidy(this.#store.delete([stored]))
      throw error
    }
  }

  /**
   * Uses an upload up: one caller at a time, on however many machines. When `work` succeeds or finds the file to be bad,
   * or the upload is cancelled, it is removed; after any other failure it can be used again. What is left of a removed
   * upload is its status, until the sweep.
   * @throws ServiceError as `find`; `conflict` when it is in use, was cancelled, or its file has not arrived yet
   * @see docs/decisions.md, D17
   */
  async use<T>(id: string, watcher: Watcher, { work, sessionIdOf }: UploadUse<T>): Promise<T> {
    const upload = await this.find(id)
    const { file, claim } = uploadKeys(id)
    if (!(await this.#isFirst(claim))) throw inUse()
    try {
      await this.#mustBeComplete(upload)
      const result = await watchUpload(this.#dependencies, id, 'preparing', watcher, (watched) =>
        work(upload, file, watched),
      )
      await this.#finish(id, { state: 'done', sessionId: sessionIdOf?.(result), updatedAt: this.#seconds() })
      return result
    } catch (error) {
      await this.#finish(id, statusAfter(error, this.#seconds()))
      throw error
    }
  }

  /** Receives the file of an upload, which can be followed and cancelled meanwhile. */
  async receive({ id }: Upload, watcher: Watcher, work: (watched: Watched) => Promise<void>): Promise<void> {
    try {
      await watchUpload(this.#dependencies, id, 'receiving', watcher, work)
    } finally {
      const { status, cancel } = uploadKeys(id)
      const isCancelled = (await this.#store.head(cancel).catch(() => undefined)) !== undefined
      if (isCancelled) await this.#finish(id, { state: 'cancelled', updatedAt: this.#seconds() })
      else await this.#tidy(this.#store.delete([status]))
    }
  }

  /** Removes an upload, as far as there is any of it, and keeps its status. */
  async remove(id: string): Promise<void> {
    const { record, file, stored, claim, cancel } = uploadKeys(id)
    await this.#store.delete([record, file, stored])
    // The claim is removed last: a caller that can claim the upload afterwards finds no file.
    await this.#store.delete([claim, cancel])
  }

  /**
   * Removes expired uploads and the remains of removed ones.
   * @param mayGoOn see `sweepGroups`
   * @returns how many uploads were removed
   */
  sweep(mayGoOn = () => true): Promise<number> {
    const { store, now } = this.#dependencies
    return sweepGroups(
      store,
      {
        prefix: 'uploads/',
        idOf: uploadIdOfKey,
        judge({ id, keys, newestMs }) {
          // When no object is younger than the time to live it has expired, and no claim on it is running.
          if (now() - newestMs <= UPLOAD_TTL_SECONDS * 1000) return 'keep'
          return keys.includes(uploadKeys(id).record) ? 'read' : 'remove'
        },
        isOver: async (id) => !(await this.#isUsable(id)),
      },
      mayGoOn,
    )
  }

  get #store(): ObjectStore {
    return this.#dependencies.store
  }

  #seconds(): number {
    return Math.floor(this.#dependencies.now() / 1000)
  }

  #isOver(expiresAt: number): boolean {
    return isExpired(expiresAt, this.#dependencies.now())
  }

  /** Whether its record says that it has not expired. */
  async #isUsable(id: string): Promise<boolean> {
    const bytes = await this.#store.get(uploadKeys(id).record)
    const expiresAt = bytes && readExpiry(bytes, UPLOAD_TTL_SECONDS)
    return expiresAt !== undefined && !this.#isOver(expiresAt)
  }

  async #mustBeComplete({ id, size }: Upload): Promise<void> {
    const head = await this.#store.head(uploadKeys(id).file)
    if (!head) throw notThereYet()
    if (head.size !== size) throw otherSize(size)
  }

  /**
   * Creates an object that only one caller can create, on however many machines. The object holds a random mark, so
   * that a repeated request, after a lost answer, recognises its own object.
   */
  async #isFirst(key: string): Promise<boolean> {
    const store = this.#store
    const mark = randomBytes(16).toString('hex')
    const isOurs = async () => new TextDecoder().decode(await store.get(key)) === mark
    try {
      const bytes = new TextEncoder().encode(mark)
      return (await store.createBytes(key, bytes, { contentType: 'text/plain' })) || (await isOurs())
    } catch (error) {
      // The object may have been created all the same.
      await this.#tidy(isOurs().then((isSo) => (isSo ? store.delete([key]) : undefined)))
      throw error
    }
  }

  /** Tells how work on an upload has ended, then removes it or lets it be used again. Never rejects. */
  async #finish(id: string, outcome: UploadStatus | undefined): Promise<void> {
    if (outcome) await this.#tidy(writeStatus(this.#store, id, outcome))
    const isOver = outcome !== undefined && isFinal(outcome)
    await this.#tidy(isOver ? this.remove(id) : this.#store.delete([uploadKeys(id).claim]))
  }

  /** Removes objects as far as possible: what stays behind is unusable, and the sweep removes it. */
  async #tidy(removal: Promise<void>): Promise<void> {
    const { log } = this.#dependencies
    await removal.catch((error: unknown) => log.warn('an upload was not removed', { error: String(error) }))
  }
}
