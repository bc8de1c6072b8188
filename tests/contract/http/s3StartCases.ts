import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { startOnS3 } from '#support/hosts/hostOnS3'
import { startNodeHost } from '#support/hosts/hosts'
import { mediaFolderOfSuite } from '#support/media/media'
import { projectRoot, type Settings, startServer } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import type { S3 } from '#support/store/s3'
import { makeClips } from './contract'
import { prepared } from './requests'

/** How the Node host starts with a bucket, and how it does not. */
export function s3StartCases(s3: () => S3): void {
  const test = suite('the Node host starts with a bucket', { timeoutMs: 60_000 })
  const folder = mediaFolderOfSuite()

  /** What it says when it ends by itself. */
  async function failing(settings: Settings): Promise<string> {
    const media = await folder
    const server = startServer([join(projectRoot, 'dist/local-runner/main.mjs'), 'media'], {
      MEDIA_PORT: '0',
      DATA_DIR: media.path('data'),
      ...s3().settings(`test-${randomUUID()}`),
      ...settings,
    })
    assert.is(await server.ended, 1)
    assert.is(server.stdout(), '')
    return server.stderr()
  }

  test('with a bucket that is not there it ends with one sentence', async () => {
    const bucket = `none-${randomUUID()}`
    const said = await failing({ S3_BUCKET: bucket })
    assert.is(
      said,
      `The bucket ${bucket} (S3_BUCKET) does not exist. Create it, or set S3_BUCKET to one that does.\n`,
    )
  })

  test('with wrong credentials, and with a store that is not there', async () => {
    for (const [settings, said] of [
      [{ AWS_SECRET_ACCESS_KEY: 'wrong' }, /^The bucket \S+ \(S3_BUCKET\) .*credentials are wrong.*\.\n$/],
      [{ S3_ENDPOINT: 'http://127.0.0.1:1' }, /^The bucket \S+ \(S3_BUCKET\) cannot be reached\..*\.\n$/],
      [{ S3_ENDPOINT: 'http://store.invalid' }, /^The bucket \S+ \(S3_BUCKET\) cannot be reached\..*\.\n$/],
    ] as const)
      assert.match(await failing(settings), said)
  })

  test('the data folder is still needed, for work', async () => {
    assert.match(await failing({ DATA_DIR: '/dev/null/x' }), /^The data folder .* cannot be written\..*\n$/)
  })

  test('with PREVIEW_REDIRECT previews are read from the bucket', async () => {
    const host = await startOnS3(s3(), startNodeHost, { PREVIEW_REDIRECT: 'true' })
    try {
      const { session_id } = await prepared(host, (await makeClips(await folder)).gif)
      const path = `/preview/${session_id}.mp4`
      const response = await host.send(path, { redirect: 'manual', headers: { Origin: 'https://page.test' } })
      assert.is(response.status, 307)
      assert.is(response.headers.get('Access-Control-Allow-Origin'), 'https://page.test')
      const location = response.headers.get('Location') ?? ''
      assert.match(location, /^http.*X-Amz-Signature=/)
      assert.ok(!location.startsWith(host.url))
      const followed = await host.send(path, { headers: { Range: 'bytes=4-7' } })
      assert.is(followed.status, 206)
      assert.is(followed.headers.get('Content-Type'), 'video/mp4')
      assert.is(await followed.text(), 'ftyp')
      const head = await host.send(path, { method: 'HEAD', redirect: 'manual' })
      assert.is(head.status, 200)
      assert.ok(Number(head.headers.get('Content-Length')) > 1000)
      const unknown = `/preview/${'0'.repeat(32)}.mp4`
      assert.is((await host.send(unknown, { redirect: 'manual' })).status, 404)
    } finally {
      await host.stop()
    }
  })

  test('a start that works says nothing but where it listens', async () => {
    const host = await startOnS3(s3(), startNodeHost)
    assert.is(host.server.stderr(), '')
    assert.is((await host.send('/health')).status, 200)
    await host.stop()
  })
  test.run()
}
