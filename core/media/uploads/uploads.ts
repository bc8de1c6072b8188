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
  /** Stores a local file, which is taken, as the upload's. @throws ServiceError as `find` and `mustBeEmpty` */
  put(upload: Upload, path: string): Promise<void>
  /**
   * Uses an upload up: for one caller at a time, on however many machines, and never again once that has succeeded or
   * has found the file to be bad. After any other failure it can be used again.
   * @param work gets the upload, whose file is there and has its size
   * @throws ServiceError as `find`; `conflict` when someone else uses it, or its file is not there yet
   */
  use<T>(id: string, work: (upload: Upload, key: string) => Promise<T>): Promise<T>
  /** Removes what has expired, and what is left of uploads that are gone. @returns how many uploads went */
  sweep(): Promise<number>
}

/** The file will be no better the next time. */
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

  /** The claim goes last: whoever can create one afterwards finds no file under it. */
  async function remove(id: string): Promise<void> {
    const { record, file, stored, claim } = uploadKeys(id)
    await store.delete([record, file, stored])
    await store.delete([claim])
  }

  /** Creates an object that only one can create. The answer may get lost and the store be asked again: ours is ours. */
  async function isFirst(key: string): Promise<boolean> {
    const mark = randomBytes(16).toString('hex')
    const isOurs = async () => new TextDecoder().decode(await store.get(key)) === mark
    try {
      const bytes = new TextEncoder().encode(mark)
      return (await store.createBytes(key, bytes, { contentType: 'text/plain' })) || (await isOurs())
    } catch (error) {
      // It may have been created all the same.
      await tidy(isOurs().then((isSo) => (isSo ? store.delete([key]) : undefined)))
      throw error
    }
  }

  async function mustBeEmpty({ id }: Upload): Promise<void> {
    if (await store.head(uploadKeys(id).file)) throw taken()
  }

  /** What stays behind here is unusable, and the sweep removes it. */
  async function tidy(what: Promise<void>): Promise<void> {
    await what.catch((error: unknown) => log.warn('an upload was not removed', { error: String(error) }))
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
      // It may have been used or have expired while its bytes arrived.
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
        const head = await store.head(file)
        if (!head) throw notThereYet()
        if (head.size !== upload.size) throw otherSize(upload.size)
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
      // Nothing of it changed for so long: it has expired, its file came long ago, and no claim on it is younger.
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
