import { readFile } from 'node:fs/promises'
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { formEvent, restApi } from '#support/hosts/lambdaEvents'
import { type LambdaProcess, openTask, startLambda } from '#support/hosts/lambdaProcess'
import { X264 } from '#support/media/containers'
import { type MediaFolder, mediaFolderOfSuite } from '#support/media/media'
import { inTempFolder } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import type { S3 } from '#support/store/s3'
import { equalBytes } from '#support/values/equalBytes'
import { formOf } from '../../contract/http/requests'
import { present } from '../../contract/ports/expected'

// The built functions as Lambda runs them, on a bucket: what the gateway cannot carry is fetched from there.

export function largeAnswerCases(s3: () => S3): void {
  const test = suite('an answer that a gateway cannot carry', { timeoutMs: 180_000 })
  const running: LambdaProcess[] = []
  const prefix = `large-${process.pid}`
  const media = mediaFolderOfSuite()
  let task: Awaited<ReturnType<typeof openTask>>
  let sessionId = ''

  const start = async (name: string, RESPONSE_MODE: string, DATA_DIR?: string) => {
    const settings = { ...s3().settings(prefix), RESPONSE_MODE, ...(DATA_DIR && { DATA_DIR }) }
    const lambda = await startLambda(task.folder, name, settings)
    running.push(lambda)
    return lambda
  }

  test.before(async () => {
    task = await openTask(['prepare', 'preview', 'convert'])
    sessionId = await preparedNoise(await media, await start('prepare', 'stream'))
  })
  test.after(async () => {
    await Promise.all(running.map((lambda) => lambda.stop()))
    await task.remove()
  })

  test('a photo is put into the bucket, and the client sent there', () =>
    inTempFolder('lantern-answers', async (data) => {
      const convert = await start('convert', 'buffer', data)
      const { statusCode, headers, body } = await buffered(convert, await conversion(sessionId, '0.1'))
      assert.equal([statusCode, body], [303, ''])
      assert.equal([headers['content-type'], headers['content-length']], [undefined, undefined])
      assert.is(headers['x-clip-quality'], 'preview')
      assert.is(headers['access-control-allow-origin'], 'https://page.test')
      const photo = await fetch(headers.location ?? '')
      assert.is(photo.status, 200)
      assert.is(photo.headers.get('Content-Type'), 'image/jpeg')
      assert.is(photo.headers.get('Cache-Control'), 'no-store')
      assert.match(photo.headers.get('Content-Disposition') ?? '', /^attachment; filename="\w+_MP\.jpg"$/)
      const bytes = Buffer.from(await photo.arrayBuffer())
      assert.ok(bytes.length > 4_500_000)
      equalBytes(bytes.subarray(0, 3), Buffer.from([0xff, 0xd8, 0xff]))
      assert.is(bytes.toString('latin1', bytes.length - 4), 'SEFT')
      assert.equal(await answers(s3(), prefix), [bytes.length])
    }))

  test('errors and photos that fit are answered as ever, and leave nothing in the bucket', async () => {
    const before = await answers(s3(), prefix)
    const refused = await buffered(await start('convert', 'buffer'), await conversion(sessionId, '99'))
    assert.is(refused.statusCode, 400)
    const photo = await (await start('convert', 'stream')).send(await conversion(sessionId, '0.1'))
    assert.equal([photo.status, photo.headers['content-length']], [200, String(photo.body.length)])
    assert.equal(await answers(s3(), prefix), before)
  })

  for (const [mode, bytes] of [
    ['buffer', 4_500_001],
    ['stream', 200_000_001],
  ] as const)
    test(`with RESPONSE_MODE=${mode} a preview of ${bytes} bytes is at the bucket, its ranges are not`, async () => {
      const preview = Buffer.alloc(bytes, 7)
      const Key = `${prefix}/sessions/${sessionId}/preview.mp4`
      await s3().client.send(new PutObjectCommand({ Bucket: s3().bucket, Key, Body: preview }))
      const lambda = await start('preview', mode)
      const ask = async (method: string, Range?: string) => {
        const head = Range === undefined ? [] : [['Range', Range] as const]
        const path = `/preview/${sessionId}.mp4`
        const event = restApi({ method, path, route: '/preview/{file}', headers: head })
        const { result, streamed } = await lambda.invoke(event)
        return present(streamed ?? (result as Result | undefined))
      }
      const whole = await ask('GET')
      assert.is(whole.statusCode, 303)
      const part = await fetch(whole.headers.location ?? '', { headers: { Range: 'bytes=-2' } })
      assert.equal([part.status, part.headers.get('Content-Type')], [206, 'video/mp4'])
      assert.is(part.headers.get('Content-Range'), `bytes ${bytes - 2}-${bytes - 1}/${bytes}`)
      assert.is((await ask('GET', 'bytes=0-')).statusCode, 303)
      assert.is((await ask('GET', 'bytes=0-999')).statusCode, 206)
      const head = await ask('HEAD')
      assert.equal([head.statusCode, head.headers['content-length']], [200, String(bytes)])
    })
  test.run()
}

type Result = {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

async function buffered(lambda: LambdaProcess, event: ReturnType<typeof restApi>): Promise<Result> {
  return (await lambda.invoke(event)).result as Result
}

/** Noise cannot be compressed: the cover of its session is larger than what a function can return at once. */
async function preparedNoise(media: MediaFolder, prepare: LambdaProcess): Promise<string> {
  const source = 'color=gray:size=2560x1920:rate=30,noise=alls=100:allf=t'
  const args = ['-f', 'lavfi', '-i', source, '-frames:v', '4', ...X264, '-crf', '16']
  const form = formOf(await readFile(await media.make('noise.mp4', args)))
  const answer = await prepare.send(await formEvent('/prepare', form))
  assert.is(answer.status, 200, answer.body.toString())
  return JSON.parse(answer.body.toString()).session_id
}

function conversion(session_id: string, range_end: string) {
  const fields = { session_id, range_start: '0', range_end, cover_time: '0', speed: '1' }
  return formEvent('/convert', new URLSearchParams(fields), [['Origin', 'https://page.test']])
}

/** Sizes of the answers in the bucket. */
async function answers({ client, bucket }: S3, prefix: string): Promise<(number | undefined)[]> {
  const Prefix = `${prefix}/answers/`
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }))
  return Contents.map(({ Size }) => Size)
}
