import { type FileHandle, open } from 'node:fs/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { onDisk } from '../disk/fileErrors'
import { fillFrom } from '../disk/fileRange'
import type { Bucket } from './bucket'
import { isUploadGone, wasTriedAgain } from './s3Errors'
import { isWrittenBy, newTarget, putObject, targetOf, type WriteTarget } from './writeObject'

/** Stores a local file. Memory holds at most a few parts of it, whatever its size. */
export async function storeFile(
  bucket: Bucket,
  name: string,
  path: string,
  { contentType, partBytes }: { readonly contentType: string; readonly partBytes: number },
): Promise<void> {
  const handle = await onDisk(() => open(path, 'r'))
  try {
    const { size } = await handle.stat()
    if (size > partBytes)
      return await uploadInParts(bucket, newTarget(name, contentType), { handle, size }, partBytes)
    const bytes = new Uint8Array(size)
    await fillFrom(handle, bytes, 0)
    await putObject(bucket, name, bytes, contentType)
  } finally {
    await handle.close()
  }
}

/** Parts in flight at a time; each is held in memory, so that it can be sent again. */
const LANES = 3
/** S3's limit. */
const MAX_PARTS = 10_000

type Part = { readonly PartNumber: number; readonly ETag: string | undefined }

/**
 * Stores a large file part by part. It appears whole or not at all; after a failure its parts are removed.
 * @param partBytes at least 5 MiB; grows for files that would have more than 10,000 parts
 */
async function uploadInParts(
  bucket: Bucket,
  target: WriteTarget,
  file: { readonly handle: FileHandle; readonly size: number },
  partBytes: number,
): Promise<void> {
  const object = { Bucket: bucket.name, Key: target.name }
  const { UploadId } = await bucket.client.send(new CreateMultipartUploadCommand(targetOf(bucket, target)))
  try {
    const Parts = await uploadParts(bucket, { ...object, UploadId }, file, partBytes)
    await bucket.patientClient
      .send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }))
      .catch(async (error: unknown) => {
        // The response to an earlier attempt was lost: then there is no upload any more, but an object.
        const mayBeDone = isUploadGone(error) && wasTriedAgain(error)
        if (!mayBeDone || !(await isWrittenBy(bucket, target))) throw error
      })
  } catch (error) {
    // If this fails as well, the bucket's rule for incomplete uploads removes the parts.
    await bucket.client.send(new AbortMultipartUploadCommand({ ...object, UploadId })).catch(() => undefined)
    throw error
  }
}

/** Settles when no part is in flight any more, since one that arrives late would survive the removal. */
async function uploadParts(
  bucket: Bucket,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined },
  { handle, size }: { readonly handle: FileHandle; readonly size: number },
  partBytes: number,
): Promise<Part[]> {
  const length = Math.max(partBytes, Math.ceil(size / MAX_PARTS))
  const parts: Part[] = []
  let begun = 0
  let hasFailed = false

  async function lane(): Promise<void> {
    const buffer = new Uint8Array(length)
    for (let start = begun * length; start < size && !hasFailed; start = begun * length) {
      begun += 1
      const PartNumber = begun
      const bytes = buffer.subarray(0, Math.min(length, size - start))
      await fillFrom(handle, bytes, start)
      const command = new UploadPartCommand({
        ...upload,
        PartNumber,
        Body: bytes,
        ContentLength: bytes.length,
      })
      const { ETag } = await bucket.client.send(command)
      parts.push({ PartNumber, ETag })
    }
  }

  const lanes = Array.from({ length: LANES }, () =>
    lane().catch((error: unknown) => {
      hasFailed = true
      throw error
    }),
  )
  const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return parts.sort((one, other) => one.PartNumber - other.PartNumber)
}
