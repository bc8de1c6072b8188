import type { Readable } from 'node:stream'
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import type { ByteRange, ObjectHead, OpenObject } from '@lantern-room/media/ports'
import type { Bucket } from './bucket'
import { asReadable, objectBody } from './objectBody'
import { isAbsent, outOfRange } from './s3Errors'

/** @returns undefined when there is no such object, and also when there is no such bucket: S3 answers both alike */
export async function headObject(
  bucket: Bucket,
  name: string,
): Promise<(ObjectHead & { readonly writer: string | undefined }) | undefined> {
  const answer = await ifThere(bucket.client.send(new HeadObjectCommand({ Bucket: bucket.name, Key: name })))
  if (answer === undefined) return undefined
  const { ContentLength, LastModified, Metadata } = answer
  if (ContentLength === undefined || LastModified === undefined)
    throw new Error('An answer without length or time.')
  return { size: ContentLength, modifiedAt: LastModified, writer: Metadata?.writer }
}

/**
 * Opens an object, or a part of it.
 * @returns undefined when there is none
 * @throws ServiceError `out-of-range`
 */
export async function readObject(
  bucket: Bucket,
  name: string,
  range: ByteRange | undefined,
): Promise<OpenObject | undefined> {
  const object = { Bucket: bucket.name, Key: name }
  const part = range && { Range: `bytes=${range.start}-${range.end}` }
  const answer = await ifThere(bucket.client.send(new GetObjectCommand({ ...object, ...part })))
  if (answer === undefined) return undefined

  const body = asReadable(answer.Body)
  const etag = answer.ETag
  const extent = extentOf(answer.ContentRange, answer.ContentLength)
  // Without them a truncated body could not be recognised, nor be continued.
  if (extent === undefined || etag === undefined)
    throw closing(body, new Error('An answer without a length.'))
  const wanted = range ?? { start: 0, end: extent.size - 1 }
  if (wanted.end >= extent.size) throw closing(body, outOfRange())
  if (extent.start !== wanted.start || extent.end !== wanted.end)
    throw closing(body, new Error('An answer with other bytes than asked for.'))

  const from = async (start: number) => {
    const rest = await bucket.client.send(
      new GetObjectCommand({ ...object, Range: `bytes=${start}-${wanted.end}`, IfMatch: etag }),
    )
    const stream = asReadable(rest.Body)
    const found = extentOf(rest.ContentRange, rest.ContentLength)
    if (found?.start === start && found.end === wanted.end) return stream
    throw closing(stream, new Error('An answer with other bytes than asked for.'))
  }
  const { start, end } = wanted
  return {
    size: extent.size,
    body: objectBody(body, { from, start, length: end + 1 - start }),
  }
}

/** @returns undefined when no object has the key */
export async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** The range in `Content-Range: bytes 0-4/9`, or else in a length. `end` is the last byte, -1 in an empty object. */
function extentOf(
  contentRange: string | undefined,
  length: number | undefined,
): (ByteRange & { readonly size: number }) | undefined {
  if (contentRange === undefined)
    return length === undefined ? undefined : { start: 0, end: length - 1, size: length }
  const parts = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange)
  return parts === null
    ? undefined
    : { start: Number(parts[1]), end: Number(parts[2]), size: Number(parts[3]) }
}

function closing(body: Readable, error: Error): Error {
  body.destroy()
  return error
}
