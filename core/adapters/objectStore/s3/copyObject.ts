import { CopyObjectCommand } from '@aws-sdk/client-s3'
import type { Bucket } from './bucket'
import { isAbsent } from './s3Errors'

/**
 * Copies up to 5 GB inside the store.
 * @returns false when there is no such object
 */
export async function copyObject(
  bucket: Bucket,
  from: string,
  to: string,
  contentType: string,
): Promise<boolean> {
  const command = new CopyObjectCommand({
    Bucket: bucket.name,
    Key: to,
    CopySource: `${bucket.name}/${from}`,
    // Otherwise the type of the source is kept.
    MetadataDirective: 'REPLACE',
    ContentType: contentType,
  })
  try {
    await bucket.patientClient.send(command)
    return true
  } catch (error) {
    if (isAbsent(error)) return false
    throw error
  }
}
