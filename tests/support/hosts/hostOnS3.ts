import { randomUUID } from 'node:crypto'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import type { Settings } from '../process/serverProcess'
import type { S3 } from '../store/s3'
import type { ProcessHost } from './hosts'

/**
 * Starts a host whose sessions live in S3, apart from those of every other.
 * @param start the host itself
 */
export async function startOnS3(
  s3: S3,
  start: (settings: Settings) => Promise<ProcessHost>,
  settings: Settings = {},
): Promise<ProcessHost & { readonly prefix: string }> {
  const prefix = `test-${randomUUID()}`
  const host = await start({ ...s3.settings(prefix), ...settings })
  return { ...host, prefix, stored: (key) => storedBelow(s3, prefix, key) }
}

/** What a host has stored under a key. */
export async function storedBelow(s3: S3, prefix: string, key: string): Promise<Uint8Array> {
  const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: s3.bucket, Key: `${prefix}/${key}` }))
  if (Body === undefined) throw new Error(`${key} has no body.`)
  return Body.transformToByteArray()
}

export const takenByS3 = { presigns: 'S3 takes them itself: see the tests of its adapter' }
