import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { PresignGet, PresignPut } from '@lantern-room/media/ports'
import type { Bucket } from './bucket'
import { onS3 } from './s3Errors'

/**
 * Length and type are signed, so that the store refuses any other body, and so is the condition that the key is free,
 * so that a file cannot change while it is prepared. The length is not among the headers to send: it comes from the
 * body, and browsers do not allow pages to set it.
 * @see docs/decisions.md, D15
 */
export function presignedPut(bucket: Bucket): PresignPut {
  return (key, { size, contentType, expiresInSeconds }) =>
    onS3(async () => {
      const command = new PutObjectCommand({
        Bucket: bucket.name,
        Key: bucket.objectName(key),
        ContentLength: size,
        ContentType: contentType,
        IfNoneMatch: '*',
      })
      const url = await getSignedUrl(bucket.client, command, {
        expiresIn: expiresInSeconds,
        signingDate: signingDate(bucket),
        // The SDK does not sign the type by default.
        signableHeaders: new Set(['content-type']),
      })
      return { url, headers: { 'Content-Type': contentType, 'If-None-Match': '*' } }
    })
}

/** The headers of the response are signed, too. A range may be asked for: `Range` is not among what is signed. */
export function presignedGet(bucket: Bucket): PresignGet {
  return (key, { contentType, cacheControl, contentDisposition, expiresInSeconds }) =>
    onS3(() => {
      const command = new GetObjectCommand({
        Bucket: bucket.name,
        Key: bucket.objectName(key),
        ResponseContentType: contentType,
        ResponseCacheControl: cacheControl,
        ResponseContentDisposition: contentDisposition,
      })
      return getSignedUrl(bucket.client, command, {
        expiresIn: expiresInSeconds,
        signingDate: signingDate(bucket),
      })
    })
}

/** Now, by the store's clock: the SDK corrects what it sends by an offset that it has learnt, but not what it signs here. */
function signingDate({ client }: Bucket): Date {
  return new Date(Date.now() + client.config.systemClockOffset)
}
