import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { slowFfmpeg } from '#support/hosts/jobs'
import { CLIENT_ADDRESS, EXECUTE_API, formEvent, lambdaContext, restApi } from '#support/hosts/lambdaEvents'
import { type LambdaProcess, openTask, startLambda } from '#support/hosts/lambdaProcess'
import { X264 } from '#support/media/containers'
import { film, mediaFolderOfSuite } from '#support/media/media'
import type { Settings } from '#support/process/serverProcess'
import { inTempFolder, makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { clockAhead } from '#support/process/wrongClock'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { until } from '#support/values/until'
import { formOf } from '../contract/http/requests'
import { entriesBelow } from '../contract/ports/leaks'

// The built functions as Lambda runs them: each in a process of its own, out of its package, streaming.

const test = suite('the functions of Lambda', { timeoutMs: 120_000 })
const TOKEN = 'a-token-of-the-tests.0123456789'
const AUTHORIZED = [['Authorization', `Bearer ${TOKEN}`]] as const
const FILE_NAME = 'holiday-in-Rome.mp4'
const media = await mediaFolderOfSuite()
let task: Awaited<ReturnType<typeof openTask>>
let dataDir = ''
/** Noise cannot be compressed: its cover alone is larger than what a function could return at once. */
let noise: Uint8Array
let small: Uint8Array
/** The slow ffmpeg needs 30 s for it. */
let long: Uint8Array
const running: LambdaProcess[] = []

test.before(async () => {
  task = await openTask(['prepare', 'preview', 'convert', 'sweep'])
  dataDir = await makeTempFolder('lantern-data')
  const make = async (args: readonly string[]) => readFile(await media.make(FILE_NAME, args))
  const source = 'color=gray:size=2560x1920:rate=30,noise=alls=100:allf=t'
  noise = await make(['-f', 'lavfi', '-i', source, '-frames:v', '4', ...X264, '-crf', '16'])
  small = await make(film('640x360', 3))
  long = await make(film('160x120', 30))
})
test.after(async () => {
  await Promise.all(running.map((lambda) => lambda.stop()))
  await Promise.all([task.remove(), removeFolders(dataDir)])
})

test('an upload becomes a preview and a photo of more than 4.5 MB, by three functions', async () => {
  const settings = { DATA_DIR: dataDir, MEDIA_SERVICE_TOKEN: TOKEN }
  const [prepare, preview, convert] = await Promise.all(
    ['prepare', 'preview', 'convert'].map((name) => start(name, settings)),
  )
  if (!prepare || !preview || !convert) throw new Error('three were started')
  const prepared = await prepare.send(await upload(noise))
  assert.is(prepared.status, 200, prepared.body.toString())
  const { session_id, preview_url } = JSON.parse(prepared.body.toString())
  assert.is(preview_url, `https://${EXECUTE_API}/dev/preview/${session_id}.mp4`)

  const path = `/preview/${session_id}.mp4`
  const whole = await preview.send(restApi({ method: 'GET', path, route: '/preview/{file}' }))
  assert.is(whole.headers['content-length'], String(whole.body.length))
  const stored = await readFile(join(dataDir, 'store/sessions', session_id, 'preview.mp4'))
  equalBytes(whole.body, stored)

  const photo = await convert.send(await conversion(session_id))
  assert.is(photo.status, 200, photo.body.toString('utf8', 0, 500))
  assert.ok(photo.body.length > 4_500_000, `${photo.body.length} bytes`)
  assert.is(photo.headers['content-length'], String(photo.body.length))
  equalBytes(photo.body.subarray(0, 3), Buffer.from([0xff, 0xd8, 0xff]))
  assert.is(photo.body.toString('latin1', photo.body.length - 4), 'SEFT')

  const buffering = await start('convert', { ...settings, RESPONSE_MODE: 'buffer' })
  const { result } = await buffering.invoke(await conversion(session_id))
  assert.is((result as { statusCode: number }).statusCode, 413)

  // One that tells which ffmpeg it is, before it is first run.
  const told = (lambda: LambdaProcess) => all(lambda).filter(({ message }) => message === 'ffmpeg was found')
  assert.match(String(told(prepare)[0]?.version), /^\S+$/)
  assert.equal([told(prepare).length, told(convert).length, told(preview).length], [1, 1, 0])

  // One line for each request, and one with the figures of the work.
  const [line, ...others] = requestLines(prepare)
  assert.equal(others, [])
  assert.is(line?.message, 'request')
  const { method, route, status, service, api_request_id, function_request_id } = line ?? {}
  assert.equal([method, route, status, line?.session_id], ['POST', '/prepare', 200, session_id])
  assert.is(service, 'motion-photo-api')
  const { awsRequestId } = lambdaContext()
  assert.is(function_request_id, awsRequestId)
  assert.is(api_request_id, 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef')
  assert.is(line?.request_id, prepared.headers['x-request-id'])
  assert.ok(Number(line?.took_ms) > 0)
  assert.is(requestLines(preview)[0]?.session_id, session_id)
  assert.is(requestLines(convert)[0]?.session_id, session_id)
  assert.equal([requestLines(preview).length, requestLines(convert).length], [1, 1])

  const made = onlyMetrics(prepare)
  assert.equal(made.units, {
    PrepareTime: 'Milliseconds',
    UploadBytes: 'Bytes',
    PreviewLength: 'Milliseconds',
  })
  assert.is(made.values.UploadBytes, noise.length)
  assert.is(made.values.PreviewLength, Math.round((4 / 30) * 1000))
  assert.ok(Number(made.values.PrepareTime) > 0)
  assert.is(made.values.session_id, session_id)
  const converted = onlyMetrics(convert)
  assert.equal(converted.units, { ConvertTime: 'Milliseconds', PhotoBytes: 'Bytes' })
  assert.is(converted.values.PhotoBytes, photo.body.length)
  assert.equal(metrics(preview), [])

  for (const { lines } of [prepare, preview, convert, buffering])
    for (const secret of [TOKEN, FILE_NAME, 'holiday', CLIENT_ADDRESS, dataDir])
      assert.not(lines().join('\n').includes(secret), `${secret} is in the log`)

  // What is for another function is a mistake of whoever sends it here.
  const elsewhere = await preview.send(await upload(small))
  assert.equal([elsewhere.status, JSON.parse(elsewhere.body.toString()).code], [500, 'internal'])
})

test('a refused request is one line, without what the stranger sent', async () => {
  const preview = await start('preview', { DATA_DIR: dataDir, MEDIA_SERVICE_TOKEN: TOKEN })
  const path = '/preview/secret-holiday.mp4'
  assert.is((await preview.send(restApi({ method: 'GET', path }))).status, 404)
  assert.is((await preview.send(restApi({ method: 'GET', path: '/sessions/secret-holiday' }))).status, 401)
  assert.equal(
    requestLines(preview).map(({ status, code, session_id }) => [status, code, session_id]),
    [
      [404, 'not-found', undefined],
      [401, 'unauthorized', undefined],
    ],
  )
  assert.not.match(preview.lines().join('\n'), /holiday/)
})

test('the sweep tells what it removed, and that it removes nothing by a wrong clock', async () => {
  await inTempFolder('lantern-data', async (old) => {
    const prepare = await start('prepare', { DATA_DIR: old, SESSION_TTL_SECONDS: '1' })
    assert.is((await prepare.send(await upload(small))).status, 200)
    await sleep(2100)
    const event = { version: '0', 'detail-type': 'Scheduled Event', source: 'aws.events', detail: {} }
    const wrong = await start('sweep', { DATA_DIR: old, ...clockAhead(25 * 3_600_000) })
    assert.equal(await wrong.invoke(event), {})
    assert.match(wrong.lines().join('\n'), /"swept".*"skipped":true/)
    const sweep = await start('sweep', { DATA_DIR: old, SESSION_TTL_SECONDS: '1', STAGE: 'trial' })
    assert.equal(await sweep.invoke(event), {})
    const [removed, line, ...others] = requestLines(sweep)
    assert.equal(others, [])
    assert.equal([removed?.message, line?.message, line?.sessions], ['removed', 'swept', 1])
    // By stage.
    const counts = metrics(sweep).map(({ stage, SweptSessions, SweptUploads }) => [
      stage,
      SweptSessions,
      SweptUploads,
    ])
    assert.equal(counts, [
      ['trial', 1, undefined],
      ['trial', undefined, 0],
    ])
    assert.equal(
      (await entriesBelow(join(old, 'store'))).filter((name) => name.includes('preview')),
      [],
    )
  })
})

test('a sandbox that is used again does not fill up, whatever became of the invocation before', async () => {
  const temporary = await makeTempFolder('lantern-sandbox')
  const work = join(temporary, 'lantern-room/work')
  try {
    // Without DATA_DIR all is below the temporary folder: nothing else can be written there.
    const settings = { TMPDIR: temporary, HOME: '/dev/null' }
    const killed = await start('prepare', { ...settings, FFMPEG_PATH: await slowFfmpeg(media) })
    const lost = killed.invoke(await upload(long)).catch(String)
    const isWritten = async () => (await entriesBelow(work)).some((name) => name.endsWith('.mp4'))
    await until('a clip is written', isWritten)
    killed.child.kill('SIGKILL')
    assert.match(String(await lost), /SIGKILL/)
    assert.ok((await entriesBelow(work)).length > 0)

    const next = await start('prepare', settings)
    const late = await next.invoke(await upload(small), 1650)
    assert.is(late.streamed?.statusCode, 504)
    assert.is((await next.send(await upload(small))).status, 200)
    assert.equal(await entriesBelow(work), [])
  } finally {
    await removeFolders(temporary)
  }
})

async function start(name: string, settings: Settings): Promise<LambdaProcess> {
  const lambda = await startLambda(task.folder, name, settings)
  running.push(lambda)
  return lambda
}

function upload(bytes: Uint8Array) {
  const form = formOf(undefined)
  form.append('file', new Blob([new Uint8Array(bytes)]), FILE_NAME)
  return formEvent('/prepare', form, AUTHORIZED)
}

function conversion(session_id: string) {
  const fields = { session_id, range_start: '0', range_end: '0.1', cover_time: '0', speed: '1' }
  return formEvent('/convert', new URLSearchParams(fields), AUTHORIZED)
}

type Line = Readonly<Record<string, unknown>>

function requestLines(lambda: LambdaProcess): Line[] {
  return all(lambda).filter((line) => !('_aws' in line) && !String(line.message).includes('ffmpeg '))
}

function metrics(lambda: LambdaProcess): Line[] {
  return all(lambda).filter((line) => '_aws' in line)
}

function all({ lines }: LambdaProcess): Line[] {
  return lines().map((line) => JSON.parse(line))
}

/** The one line of figures, as CloudWatch reads it: each metric is named with its unit and found beside. */
function onlyMetrics(lambda: LambdaProcess): { units: Record<string, string>; values: Line } {
  const [line, ...others] = metrics(lambda)
  assert.equal(others, [])
  const { _aws, ...values } = line ?? {}
  type Directive = { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }
  const { Timestamp, CloudWatchMetrics } = _aws as { Timestamp: number; CloudWatchMetrics: Directive[] }
  assert.ok(Math.abs(Date.now() - Timestamp) < 120_000)
  const [directive, ...more] = CloudWatchMetrics
  assert.equal([more, directive?.Namespace, directive?.Dimensions], [[], 'MotionPhoto', [['service']]])
  assert.is(values.service, 'motion-photo-api')
  const units = Object.fromEntries((directive?.Metrics ?? []).map(({ Name, Unit }) => [Name, Unit]))
  for (const name of Object.keys(units)) assert.type(values[name], 'number')
  return { units, values }
}

test.run()
