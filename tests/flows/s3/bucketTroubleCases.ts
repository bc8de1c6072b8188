import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
} from '@aws-sdk/client-s3'
import { hostsOfEachTest } from '#support/hosts/jobs'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { type FaultyProxy, startFaultyProxy } from '#support/store/faultyProxy'
import { type S3, s3IsOwn } from '#support/store/s3'
import { jsonOf, postJson, prepared, refused } from '../../contract/http/requests'

// Buckets that keep what is removed, and one that vanishes.

export function bucketTroubleCases(s3: () => S3): void {
  const trouble = suite('a host and a bucket in trouble', { timeoutMs: 120_000 })
  const test = trouble.skipUnless(s3IsOwn, 'this S3 is not ours to make buckets in')
  const media = mediaFolderOfSuite()
  const start = hostsOfEachTest(trouble)
  const newBucket = async () => {
    const Bucket = `bucket-${randomUUID()}`
    await s3().client.send(new CreateBucketCommand({ Bucket }))
    return { ...s3().settings('media'), S3_BUCKET: Bucket }
  }
  const proxies: FaultyProxy[] = []
  trouble.after(async () => {
    await Promise.all(proxies.map((proxy) => proxy.stop()))
  })
  /** The same store, which creates no object twice. */
  const conditional = async () => {
    const proxy = await startFaultyProxy(s3().endpoint)
    proxies.push(proxy)
    const created = new Set<string>()
    proxy.inject(({ headers, path }) => {
      if (!headers['if-none-match']) return undefined
      if (created.has(path)) return { kind: 'status', status: 412 }
      created.add(path)
      return undefined
    })
    return proxy
  }
  const clip = async () => readFile(await (await media).make('1.mp4', film('160x120', 1)))

  test('a versioned bucket is told at the start, and a cleanup does not say that the files are gone', async () => {
    const plain = await start(s3().settings(`test-${randomUUID()}`))
    assert.not.match(plain.server.stderr(), /keeps what is removed/)
    const settings = await newBucket()
    const VersioningConfiguration = { Status: 'Enabled' } as const
    await s3().client.send(
      new PutBucketVersioningCommand({ Bucket: settings.S3_BUCKET, VersioningConfiguration }),
    )
    // Ceph forgets its conditional writes there; others do not.
    const refusal = await start(settings).then(
      () => 'none',
      ({ message }: Error) => message,
    )
    assert.match(refusal, /cannot be used: it is versioned.*ignores If-None-Match/)
    const host = await start({ ...settings, S3_ENDPOINT: (await conditional()).url })
    await host.server.said(/"warn".*keeps what is removed.*lifecycle rule.*noncurrent versions/)
    for (const [on, words] of [
      [plain, /^The session and its files are removed\.$/],
      [host, /^The session is removed\. Earlier versions/],
    ] as const) {
      const { session_id } = await prepared(on, await clip())
      const answer = await postJson(on, '/cleanup', { session_id })
      assert.match((await jsonOf<{ message: string }>(answer)).message, words)
      await refused(on.send(`/sessions/${session_id}`), 404)
    }
  })

  test('a bucket that vanishes is 503 to everyone, and the log names it; when it is back, so is the service', async () => {
    const settings = await newBucket()
    const Bucket = settings.S3_BUCKET
    const host = await start(settings)
    const { session_id } = await prepared(host, await clip())
    const { Versions = [] } = await s3().client.send(new ListObjectVersionsCommand({ Bucket }))
    const Objects = Versions.map(({ Key = '' }) => ({ Key }))
    await s3().client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
    await s3().client.send(new DeleteBucketCommand({ Bucket }))
    await refused(host.send('/health'), 503)
    await refused(host.send(`/sessions/${session_id}`), 503)
    await host.server.said(/"route":"\/health","status":503.*does not exist\. Create it, or set S3_BUCKET/)
    await s3().client.send(new CreateBucketCommand({ Bucket }))
    await refused(host.send(`/sessions/${session_id}`), 404)
  })
  trouble.run()
}
