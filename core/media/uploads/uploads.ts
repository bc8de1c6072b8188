import { randomBytes } from 'node:crypto'
import { type ErrorCode, ServiceError } from '#core/errors'
import type { Log } from '#core/log'
import { newestObjects } from '../newestObjects'
import type { ObjectStore } from '../ports'
import { isExpired } from '../session'
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
   * Uses an upload up: one caller at a time, on however many machines. When `work` succeeds or finds the file to be bad
   * the upload is removed; after any other failure it can be used again.
   * @param work gets the upload, whose file is there and has its size
   * @throws ServiceError as `find`; `conflict` when it is in use, or its file has not arrived yet
   * @see docs/decisions.md, D17
   */
  use<T>(id: string, work: (upload: Upload, key: string) => Promise<T>): Promise<T>
  /** Removes expired uploads and the remains of removed ones. @returns how many uploads were removed */
  sweep(): Promise<number>
}

/** Failures that will be the same the next time. */
const FILE_IS_BAD: readonly ErrorCode[] = ['invalid-request', 'unsupported-media', 'payload-too-large']

export function createUploads(dependencies: {
  readonly store: ObjectStore
  /** Unix time in milliseconds. */
  readonly now: () => number
  readonly log: Log
}): Uploads {
  const { store, now, log } = dependencies

  async function find(id: string): Promise<Upload> {
    const bytes = isUploadId(id) ? await store.get(uploadKeys(id).record) : undefined
    const upload = bytes && decodeUpload(bytes)
    if (!upload || isExpired(upload.createdAt, UPLOAD_TTL_SECONDS, now())) throw unknownUpload()
    return upload
  }

  /** The claim is removed last: a caller that can claim the upload afterwards finds no file. */
  async function remove(id: string): Promise<void> {
    const { record, file, stored, claim } = uploadKeys(id)
    await store.delete([record, file, stored])
    await store.delete([claim])
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
      const upload = { id: newUploadId(), createdAt: Math.floor(now() / 1000), size, contentType }
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

    async use(id, work) {
      const upload = await find(id)
      const { file, claim } = uploadKeys(id)
      if (!(await isFirst(claim))) throw inUse()
      let isUsedUp = false
      try {
        await mustBeComplete(upload)
        const result = await work(upload, file)
        isUsedUp = true
        return result
      } catch (error) {
        isUsedUp = error instanceof ServiceError && FILE_IS_BAD.includes(error.code)
        throw error
      } finally {
        await tidy(isUsedUp ? remove(id) : store.delete([claim]))
      }
    },

    async sweep() {
      let removed = 0
      // No object of such an upload is younger than the time to live: it has expired, and no claim on it is running.
      for (const [id, modifiedMs] of await newestObjects(store, 'uploads/', uploadIdOfKey)) {
        if (now() - modifiedMs <= UPLOAD_TTL_SECONDS * 1000) continue
        await remove(id)
        removed += 1
      }
      return removed
    },
  }
}

function unknownUpload(): ServiceError {
  return new ServiceError(
    'not-found',
    'There is no such upload: it was used, or has expired. Ask POST /uploads for a new one.',
  )
}

function taken(): ServiceError {
  return new ServiceError(
    'conflict',
    'The file of this upload is there already, or was being stored when the service stopped. Prepare it, or ask POST /uploads for a new one.',
  )
}

function inUse(): ServiceError {
  return new ServiceError(
    'conflict',
    'This upload is being prepared, or was when the service stopped. Wait for the answer, or upload the file again.',
  )
}

function notThereYet(): ServiceError {
  return new ServiceError(
    'conflict',
    'The file of this upload has not arrived. Send it to the url that POST /uploads gave, and then prepare it.',
  )
}

function otherSize(size: number): ServiceError {
  return new ServiceError(
    'invalid-request',
    `The file of this upload does not have the ${size} bytes that were announced. Upload it again.`,
  )
}
