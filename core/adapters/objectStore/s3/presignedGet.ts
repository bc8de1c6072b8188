import { GetObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { PresignGet } from '#core/media/ports'
import type { Bucket } from './bucket'
import { onS3 } from './s3Errors'

/** The headers of the response are signed, too. A range may be asked for: `Range` is not among what is signed. */
export function presignedGet(bucket: Bucket): PresignGet {
  return (key, { contentType, cacheControl, expiresInSeconds }) =>
    onS3(() => {
      const command = new GetObjectCommand({
        Bucket: bucket.name,
        Key: bucket.objectName(key),
        ResponseContentType: contentType,
        ResponseCacheControl: cacheControl,
      })
      return getSignedUrl(bucket.client, command, { expiresIn: expiresInSeconds })
    })
}
