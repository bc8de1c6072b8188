import { HeadObjectCommand } from '@aws-sdk/client-s3'
import type { ObjectHead } from '#core/media/objectStore/ports'
import type { Bucket } from './bucket'
import { isAbsent } from './s3Errors'

/** @returns undefined when there is no such object, and also when there is no such bucket: S3 answers both alike */
export async function headObject(
  bucket: Bucket,
  name: string,
): Promise<(ObjectHead & { readonly writer: string | undefined }) | undefined> {
  try {
    const { ContentLength, LastModified, Metadata } = await bucket.client.send(
      new HeadObjectCommand({ Bucket: bucket.name, Key: name }),
    )
    if (ContentLength === undefined || LastModified === undefined)
      throw new Error('An answer without length or time.')
    return { size: ContentLength, modifiedAt: LastModified, writer: Metadata?.writer }
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
