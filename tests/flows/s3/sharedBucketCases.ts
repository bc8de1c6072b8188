import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { startOfflineHost } from '#support/hosts/hosts'
import { mediaFolderOfSuite } from '#support/media/media'
import { projectRoot, startServer } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { startFaultyProxy } from '#support/store/faultyProxy'
import type { S3 } from '#support/store/s3'
import { sharedStoreCases } from '../sharedStoreCases'
import { startCarelessProxy } from './carelessProxy'

export function sharedBucketCases(s3: () => S3): void {
  sharedStoreCases(
    'a bucket',
    async () => {
      const prefix = `test-${randomUUID()}`
      const keys = async () => {
        const { Contents = [] } = await s3().client.send(
          new ListObjectsV2Command({ Bucket: s3().bucket, Prefix: `${prefix}/` }),
        )
        return Contents.map(({ Key = '' }) => Key.slice(prefix.length + 1))
      }
      return { settings: s3().settings(prefix), keys }
    },
    { isShort: true },
  )

  const test = suite('a bucket without conditional writes', { timeoutMs: 120_000 })
  const media = mediaFolderOfSuite()

  /** What the Node host says when it does not start. */
  async function failing(endpoint: string): Promise<string> {
    const server = startServer([join(projectRoot, 'dist/local-runner/main.mjs'), 'media'], {
      ...s3().settings(`test-${randomUUID()}`),
      S3_ENDPOINT: endpoint,
      MEDIA_PORT: '0',
      DATA_DIR: (await media).path('data'),
    })
    const started = server.said(/listening on/).then(
      () => server.end(),
      () => undefined,
    )
    const exit = await server.ended
    await started
    assert.is(server.stdout(), '')
    assert.is(exit, 1)
    return server.stderr()
  }

  test('a store that ignores If-None-Match is refused at the start', async () => {
    const proxy = await startCarelessProxy(s3())
    try {
      assert.is(
        await failing(proxy.url),
        `The bucket ${s3().bucket} (S3_BUCKET) at ${proxy.url} (S3_ENDPOINT) cannot be used: it replaced an object that must not be replaced (it ignores If-None-Match: *), so that one upload could be prepared several times. Use a store that knows conditional writes, or unset S3_BUCKET.\n`,
      )
    } finally {
      await proxy.stop()
    }
  })

  test('a function on a machine of a developer says so, too', async () => {
    const proxy = await startCarelessProxy(s3())
    const settings = { ...s3().settings(`test-${randomUUID()}`), S3_ENDPOINT: proxy.url }
    const host = await startOfflineHost(settings)
    try {
      assert.is((await host.send(`/sessions/${'0'.repeat(32)}`)).status, 503)
      await host.server.said(/the function cannot start.*ignores If-None-Match/s)
    } finally {
      await host.stop()
      await proxy.stop()
    }
  })

  test('so is one that answers that it does not know it', async () => {
    const proxy = await startFaultyProxy(s3().endpoint)
    proxy.inject(({ headers }) => (headers['if-none-match'] ? { kind: 'status', status: 501 } : undefined))
    try {
      assert.match(
        await failing(proxy.url),
        /^The bucket \S+ \(S3_BUCKET\) at \S+ \(S3_ENDPOINT\) cannot be used: it failed to write .*If-None-Match: \*.* conditional writes, or unset S3_BUCKET\.\n$/,
      )
    } finally {
      await proxy.stop()
    }
  })
  test.run()
}
