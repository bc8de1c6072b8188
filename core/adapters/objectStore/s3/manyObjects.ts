import { DeleteObjectsCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3'
import type { ObjectHead } from '#core/media/objectStore/ports'
import type { Bucket } from './bucket'
import { s3Error } from './s3Errors'

/** What S3 takes in one request. */
const MAX_KEYS = 1000

/** Every object of ours whose key starts with `prefix`; objects of other programs among them are skipped. */
export async function* listObjects(
  bucket: Bucket,
  prefix: string,
): AsyncGenerator<ObjectHead & { readonly key: string }> {
  try {
    const request = { Bucket: bucket.name, Prefix: bucket.namePrefix(prefix) }
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

export async function removeObjects(bucket: Bucket, keys: readonly string[]): Promise<void> {
  const names = [...new Set(keys.map(bucket.objectName))]
  for (let first = 0; first < names.length; first += MAX_KEYS) {
    const Objects = names.slice(first, first + MAX_KEYS).map((Key) => ({ Key }))
    const { Errors = [] } = await bucket.client.send(
      new DeleteObjectsCommand({ Bucket: bucket.name, Delete: { Objects, Quiet: true } }),
    )
    const [failed] = Errors
    if (failed) throw Object.assign(new Error(failed.Message), { name: failed.Code ?? 'UnknownError' })
  }
}
