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
  return {
    ...host,
    prefix,
    async stored(key) {
      const object = { Bucket: s3.bucket, Key: `${prefix}/${key}` }
      const { Body } = await s3.client.send(new GetObjectCommand(object))
      if (Body === undefined) throw new Error(`${key} has no body.`)
      return Body.transformToByteArray()
    },
  }
}

export const takenByS3 = { presigns: 'S3 takes them itself: see the tests of its adapter' }
