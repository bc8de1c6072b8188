import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUp, type ProcessHost } from '#support/hosts/hosts'
import { hostsOfEachTest, sessionsIn, slowFfmpeg } from '#support/hosts/jobs'
import { type Moto, motoMissing, startMoto } from '#support/hosts/moto'
import { createdQueue } from '#support/hosts/sqs'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { projectRoot, type ServerProcess, type Settings, startServer } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { until } from '#support/values/until'
import { jsonOf, postJson, uploaded } from '../contract/http/requests'

// Hosts and workers, each a process, that share a queue and a store.

const missing = await motoMissing()
const suiteOf = suite('workers on one queue', { timeoutMs: 120_000 })
const test = suiteOf.skipUnless(missing === undefined, missing ?? '')
const media = await mediaFolderOfSuite()
const start = hostsOfEachTest(suiteOf)
const workers: ServerProcess[] = []
let moto: Moto
let clip: Uint8Array
let settings: Settings

type State = { readonly state: string; readonly session_id?: string }

suiteOf.before(async () => {
  if (missing !== undefined) return
  moto = await startMoto()
  clip = await readFile(await media.make('2.mp4', film('160x120', 2)))
})
suiteOf.before.each(async () => {
  if (missing !== undefined) return
  const PREPARE_QUEUE_URL = await createdQueue(moto, 'shared')
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = moto.settings as Readonly<Record<string, string>>
  settings = {
    PREPARE_QUEUE_URL,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
  } as Settings
})
suiteOf.after.each(async () => {
  for (const worker of workers) worker.signal('SIGKILL')
  await Promise.all(workers.splice(0).map((worker) => worker.end()))
})
suiteOf.after(() => moto?.stop())

test('any number of them do what two hosts have accepted, and what one gives back another does at once', async () => {
  const door = await start({ ...settings, PREPARE_QUEUE_JOBS: '0' })
  const other = await start({ ...settings, PREPARE_QUEUE_JOBS: '0', DATA_DIR: door.dataDir })
  const held = await accepted(door)
  const FFMPEG_PATH = await slowFfmpeg(media)
  const leaving = await startWorker(door, { FFMPEG_PATH, SHUTDOWN_SECONDS: '1' })
  await until('it is prepared', async () => (await stateOf(other, held)).state === 'preparing')
  const ids = [held, ...(await Promise.all([door, other, door, other].map(accepted)))]
  leaving.signal('SIGTERM')
  assert.is(await leaving.ended, 0)
  assert.is((await stateOf(other, held)).state, 'received')
  const [one, two] = await Promise.all([startWorker(door), startWorker(door)])
  const seen = new Set<string>()
  for (const id of ids)
    await until(`${id} is done`, async () => {
      const { state } = await stateOf(other, id)
      seen.add(state)
      return state === 'done'
    })
  assert.not.ok(seen.has('failed'), [...seen].join(' '))
  assert.is((await sessionsWithRecord(door)).length, ids.length)
  for (const worker of [one, two]) assert.match(worker.stderr(), /"taken from the queue".*"ended":"done"/)
  assert.is((await postJson(other, '/prepare', { upload_id: held })).status, 200)
})

test('a host with a queue works on it, too, and its metrics tell so', async () => {
  const host = await start({ ...settings, MEDIA_METRICS_PORT: '0' })
  const id = await accepted(host)
  await until('it is done', async () => (await stateOf(host, id)).state === 'done')
  const [, url = ''] = await host.server.said(/"metrics are served".*"url":"(http:[^"]+)"/)
  const told = async () => (await fetch(`${url}/metrics`)).text()
  await until('it is counted', async () =>
    /^motion_photo_queue_messages_total\{ended="done"\} 1$/m.test(await told()),
  )
  assert.match(await told(), /^motion_photo_queue_wait_seconds \d/m)
})

test('a worker without a queue ends with a sentence that says which setting is missing', async () => {
  const worker = run({ DATA_DIR: media.path('alone') })
  assert.is(await worker.ended, 1)
  assert.match(worker.stderr(), /Set PREPARE_QUEUE_URL/)
})

async function accepted(host: ProcessHost): Promise<string> {
  const upload_id = await uploaded(host, clip)
  const answer = await postJson(host, '/prepare', { upload_id }, { headers: { Prefer: 'respond-async' } })
  assert.is(answer.status, 202)
  assert.equal(await jsonOf(answer), { upload_id, state: 'received' })
  return upload_id
}

const stateOf = async (host: ProcessHost, id: string) => jsonOf<State>(await host.send(`/uploads/${id}`))

async function startWorker({ dataDir }: ProcessHost, more: Settings = {}): Promise<ServerProcess> {
  const worker = run({ ...settings, DATA_DIR: dataDir, ...more })
  await isUp(worker, /worker takes prepares from http/)
  return worker
}

function run(env: Settings): ServerProcess {
  const worker = startServer([join(projectRoot, 'dist/local-runner/main.mjs'), 'worker'], env)
  workers.push(worker)
  return worker
}

async function sessionsWithRecord({ dataDir }: ProcessHost): Promise<string[]> {
  const sizes = await Promise.all(
    (await sessionsIn(dataDir)).map(async (id) => {
      const record = await readFile(join(dataDir, 'store/sessions', id, 'session.json')).catch(() => '')
      return record.length > 0 ? [id] : []
    }),
  )
  return sizes.flat()
}

suiteOf.run()
