import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { createS3ObjectStore, type S3ObjectStore } from '@lantern-room/adapters/objectStore/s3'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { type S3, s3IsOwn } from '#support/store/s3'
import { entriesBelow, openFilesBelow } from '../leaks'

export type StoreOptions = Partial<Parameters<typeof createS3ObjectStore>[0]>

export type OpenStore = {
  readonly store: S3ObjectStore
  readonly sibling: S3ObjectStore
  /** Has the folder `checked-out`, which both stores share, and what tests put there. */
  readonly folder: string
  /** What begins the names of all that both store. */
  readonly prefix: string
  /** Files and unfinished uploads; with `leaks` connections too, of which this process must have no others. */
  remains(): Promise<readonly string[]>
  leaks(): Promise<readonly string[]>
  close(): Promise<void>
}

/** Two adapters on the same, empty part of the bucket. */
export async function openStore(s3: S3, options: StoreOptions = {}): Promise<OpenStore> {
  const folder = await makeTempFolder('s3')
  const prefix = `test-${randomUUID()}`
  const { endpoint, region, bucket, credentials } = s3
  const open = () =>
    createS3ObjectStore({
      endpoint,
      region,
      bucket,
      credentials,
      prefix,
      folder: join(folder, 'checked-out'),
      ...options,
    })
  const [store, sibling] = [open(), open()]
  const remains = async () => [
    ...openFilesBelow(folder),
    ...(await entriesBelow(join(folder, 'checked-out'))).map((path) => `checked out: ${path}`),
    ...(await unfinishedUploads(s3, prefix)).map((key) => `unfinished: ${key}`),
  ]
  return {
    store,
    sibling,
    folder,
    prefix,
    remains,
    leaks: async () => [...(await remains()), ...(await socketsInUse())],
    async close() {
      if (!s3IsOwn) for await (const { key } of store.list('')) await store.delete([key])
      for (const one of [store, sibling]) one.close()
      await removeFolders(folder)
    },
  }
}

async function unfinishedUploads(s3: S3, prefix: string): Promise<string[]> {
  const { Uploads = [] } = await s3.client.send(
    new ListMultipartUploadsCommand({ Bucket: s3.bucket, Prefix: prefix }),
  )
  return Uploads.map(({ Key = '' }) => Key)
}

/** Connections with a request on them. One that is being closed may need a moment. */
async function socketsInUse(): Promise<readonly string[]> {
  const inUse = () => process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap')
  return emptied(inUse)
}

/** Waits until nothing is left, but no longer than 20 s. @returns what is left */
export async function emptied<T>(left: () => readonly T[]): Promise<readonly T[]> {
  for (const deadline = Date.now() + 20_000; left().length > 0 && Date.now() < deadline; ) await sleep(10)
  return left()
}
