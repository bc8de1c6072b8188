import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CopyObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { Bucket } from './bucket'
import { headObject, ifThere } from './readObject'
import { isConflict, isTaken, wasTriedAgain } from './s3Errors'

/** An object to be written. `writer` identifies the attempt, so that its object can be recognised. */
export type WriteTarget = { readonly name: string; readonly contentType: string; readonly writer: string }

export function newTarget(name: string, contentType: string): WriteTarget {
  return { name, contentType, writer: randomUUID() }
}

export async function putObject(bucket: Bucket, name: string, bytes: Uint8Array, contentType: string) {
  const command = new PutObjectCommand({
    Bucket: bucket.name,
    Key: name,
    ContentType: contentType,
    Body: bytes,
    ContentLength: bytes.length,
  })
  await bucket.client.send(command)
}

const MAX_ATTEMPTS = 8

/**
 * @returns false when an object with that name exists already
 * @see docs/decisions.md, D22
 */
export async function createObject(bucket: Bucket, target: WriteTarget, bytes: Uint8Array): Promise<boolean> {
  const put = () =>
    bucket.client.send(
      new PutObjectCommand({
        ...targetOf(bucket, target),
        Body: bytes,
        ContentLength: bytes.length,
        IfNoneMatch: '*',
      }),
    )
  for (let attempt = 1; ; attempt++) {
    try {
      await put()
      return true
    } catch (error) {
      // If the answer to an earlier attempt was lost, the object in the way may be its own.
      if (isTaken(error)) return (wasTriedAgain(error) || attempt > 1) && (await isWrittenBy(bucket, target))
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
    }
    await sleep(50 * attempt)
  }
}

/** The parameters of a command that creates an object with its writer in the metadata. */
export function targetOf(bucket: Bucket, { name, contentType, writer }: WriteTarget) {
  return { Bucket: bucket.name, Key: name, ContentType: contentType, Metadata: { writer } }
}

export async function isWrittenBy(bucket: Bucket, { name, writer }: WriteTarget): Promise<boolean> {
  return (await headObject(bucket, name))?.writer === writer
}

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
  return (await ifThere(bucket.patientClient.send(command))) !== undefined
}
