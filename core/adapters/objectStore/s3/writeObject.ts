import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { Bucket } from './bucket'
import { headObject } from './headObject'
import { isConflict, isTaken, wasTriedAgain } from './s3Errors'

/** An object to write; `writer` is a random name that identifies this write. */
export type Target = { readonly name: string; readonly contentType: string; readonly writer: string }

export function newTarget(name: string, contentType: string): Target {
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

const MAX_CONFLICTS = 8

/** @returns false when an object exists there already */
export async function createObject(bucket: Bucket, target: Target, bytes: Uint8Array): Promise<boolean> {
  for (let conflicts = 1; ; conflicts++)
    try {
      const command = new PutObjectCommand({
        ...targetOf(bucket, target),
        Body: bytes,
        ContentLength: bytes.length,
        IfNoneMatch: '*',
      })
      await bucket.client.send(command)
      return true
    } catch (error) {
      // If the response to an attempt was lost, the next attempt is refused because of the object that the first one
      // made.
      if (isTaken(error))
        return (wasTriedAgain(error) || conflicts > 1) && (await isWrittenBy(bucket, target))
      if (!isConflict(error) || conflicts === MAX_CONFLICTS) throw error
      await sleep(50 * conflicts)
    }
}

/** Creates an object that can be recognised as this writer's. */
export function targetOf(bucket: Bucket, { name, contentType, writer }: Target) {
  return { Bucket: bucket.name, Key: name, ContentType: contentType, Metadata: { writer } }
}

export async function isWrittenBy(bucket: Bucket, { name, writer }: Target): Promise<boolean> {
  return (await headObject(bucket, name))?.writer === writer
}
