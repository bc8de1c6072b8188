import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { arrayBuffer } from 'node:stream/consumers'
import { DeleteObjectsCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3'
import type {
  ByteRange,
  ListedObject,
  LocalFile,
  ObjectStore,
  OpenObject,
  PresignGet,
  PresignPut,
} from '@lantern-room/media/ports'
import { onDisk } from './disk/fileErrors'
import { type TemporaryNames, temporaryNames } from './disk/temporaryNames'
import { type Bucket, type BucketOptions, openBucket } from './s3/bucket'
import { storeFile } from './s3/partedUpload'
import { presignedGet, presignedPut } from './s3/presignedUrls'
import { headObject, readObject } from './s3/readObject'
import { bucketError, onS3, outOfRange, s3Error } from './s3/s3Errors'
import { copyObject, createObject, newTarget, putObject } from './s3/writeObject'

/** A store in a bucket, to which clients may also send and from which they may fetch by themselves. */
export type S3ObjectStore = ObjectStore & {
  readonly presignPut: PresignPut
  readonly presignGet: PresignGet
  /** Closes its idle connections, which keep a process alive. */
  close(): void
}

const MEBIBYTE = 1024 * 1024

/**
 * Keeps objects in a bucket of S3 or of a compatible store. Several processes may share it.
 *
 * It needs the permission to list the bucket, too: without it S3 answers "forbidden" for an absent object.
 * @param options.folder for files that are checked out; may be shared by several processes
 * @param options.partBytes larger files are sent in parts of this size, at least 5 MiB. @default 8 MiB
 * @returns a store whose calls throw what the port `ObjectStore` says, such as ServiceError `unavailable` after the last attempt
 * @example const store = createS3ObjectStore({ bucket: 'photos', region: 'eu-central-1', folder: join(tmpdir(), 'checked-out') })
 */
export function createS3ObjectStore(
  options: BucketOptions & {
    readonly folder: string
    readonly partBytes?: number
  },
): S3ObjectStore {
  const { folder, partBytes = 8 * MEBIBYTE } = options
  const bucket = openBucket(options)
  const { objectName } = bucket
  const checkedOut = temporaryNames(folder)

  let keepsDeleted = false
  const remove = async (keys: readonly string[]) => {
    keepsDeleted = (await removeObjects(bucket, keys)) ?? keepsDeleted
  }

  async function openObject(key: string, range?: ByteRange) {
    const name = objectName(key)
    const { start, end } = range ?? { start: 0, end: 0 }
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
      if ((await headObject(bucket, name)) === undefined) return undefined
      throw outOfRange()
    }
    return readObject(bucket, name, range)
  }

  return {
    putFile: (key, path, { contentType, consume = false }) =>
      onS3(async () => {
        await storeFile(bucket, objectName(key), path, { contentType, partBytes })
        if (consume) await onDisk(() => rm(path, { force: true }))
      }),

    putBytes: (key, bytes, { contentType }) =>
      onS3(() => putObject(bucket, objectName(key), bytes, contentType)),

    createBytes: (key, bytes, { contentType }) =>
      onS3(() => createObject(bucket, newTarget(objectName(key), contentType), bytes)),

    get: (key) =>
      onS3(async () => {
        const object = await openObject(key)
        return object && new Uint8Array(await arrayBuffer(object.body))
      }),

    open: (key, range) => onS3(() => openObject(key, range)),

    head: (key) =>
      onS3(async () => {
        const head = await headObject(bucket, objectName(key))
        return head && { size: head.size, modifiedAt: head.modifiedAt }
      }),

    list: (prefix, after) => listObjects(bucket, prefix, after),

    delete: (keys) => onS3(() => remove(keys)),

    copy: (from, to, { contentType }) =>
      onS3(() => copyObject(bucket, objectName(from), objectName(to), contentType)),

    presignPut: presignedPut(bucket),
    presignGet: presignedGet(bucket),

    checkOut: (key) =>
      onS3(async () => {
        const object = await openObject(key)
        return object && onDisk(() => saveObject(object, checkedOut))
      }),

    keepsDeleted: () => keepsDeleted,

    async check() {
      const key = `check/${randomUUID()}`
      try {
        await putObject(bucket, objectName(key), new Uint8Array([1]), 'application/octet-stream')
        await remove([key])
      } catch (error) {
        throw bucketError(error, bucket.name)
      }
    },

    close() {
      bucket.client.destroy()
      bucket.patientClient.destroy()
    },
  }
}

/** Writes an object to a file of its own. */
async function saveObject({ body }: OpenObject, names: TemporaryNames): Promise<LocalFile> {
  const path = await names()
  const release = () => onDisk(() => rm(path, { force: true }))
  try {
    await writeFile(path, body, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    await body.cancel().catch(() => undefined)
    await release()
    throw error
  }
  return { path, release }
}

/** The limit of S3 for one request. */
const MAX_KEYS = 1000

/** Every object of ours whose key starts with `prefix`; objects of other programs among them are skipped. */
async function* listObjects(
  bucket: Bucket,
  prefix: string,
  after: string | undefined,
): AsyncGenerator<ListedObject> {
  try {
    const request = {
      Bucket: bucket.name,
      Prefix: bucket.namePrefix(prefix),
      ...(after !== undefined && { StartAfter: bucket.namePrefix(after) }),
    }
    for await (const { Contents = [] } of paginateListObjectsV2({ client: bucket.client }, request))
      for (const { Key = '', Size, LastModified } of Contents) {
        const key = bucket.keyOf(Key)
        if (key !== undefined && Size !== undefined && LastModified !== undefined)
          yield { key, size: Size, modifiedAt: LastModified }
      }
  } catch (error) {
    throw s3Error(error)
  }
}

/** A delete of fewer objects is answered with what became of each. */
const MAX_TOLD = 10

/** @returns whether the bucket keeps what was deleted, as earlier versions; undefined where it was not told */
async function removeObjects(bucket: Bucket, keys: readonly string[]): Promise<boolean | undefined> {
  const names = [...new Set(keys.map(bucket.objectName))]
  const firsts = Array.from({ length: Math.ceil(names.length / MAX_KEYS) }, (_, call) => call * MAX_KEYS)
  const remove = async (first: number) => {
    const Objects = names.slice(first, first + MAX_KEYS).map((Key) => ({ Key }))
    const Quiet = Objects.length > MAX_TOLD
    const { Errors = [], Deleted = [] } = await bucket.client.send(
      new DeleteObjectsCommand({ Bucket: bucket.name, Delete: { Objects, Quiet } }),
    )
    const [failed] = Errors
    if (failed) throw Object.assign(new Error(failed.Message), { name: failed.Code ?? 'UnknownError' })
    return Deleted
  }
  const told = (await Promise.all(firsts.map(remove))).flat()
  if (told.length === 0) return undefined
  // Where versioning is suspended, the version that the marker replaces is gone.
  return told.some((one) => one.DeleteMarker && one.DeleteMarkerVersionId !== 'null')
}
