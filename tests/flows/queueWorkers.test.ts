import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUp, type ProcessHost } from '#support/hosts/hosts'
import { hostsOfEachTest, isStoring, sessionsIn, slowFfmpeg } from '#support/hosts/jobs'
import { type Moto, motoMissing, startMoto } from '#support/hosts/moto'
import { callSqs, createdQueue } from '#support/hosts/sqs'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { projectRoot, type ServerProcess, type Settings, startServer } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { eventually, until } from '#support/values/until'
import { jsonOf, postJson, uploaded } from '../contract/http/requests'
import { entriesBelow } from '../contract/ports/leaks'

// Hosts and workers, each a process, that share a queue and a store.

const missing = await motoMissing()
const suiteOf = suite('workers on one queue', { timeoutMs: 120_000 })
const test = suiteOf.skipUnless(missing === undefined, missing ?? '')
const media = await mediaFolderOfSuite()
const start = hostsOfEachTest(suiteOf)
const workers: ServerProcess[] = []
let moto: Moto
let clip: Uint8Array
/** The slow ffmpeg needs 20 s for it. */
let long: Uint8Array
let settings: Settings

type State = { readonly state: string; readonly session_id?: string }

suiteOf.before(async () => {
  if (missing !== undefined) return
  moto = await startMoto()
  clip = await readFile(await media.make('2.mp4', film('160x120', 2)))
  long = await readFile(await media.make('20.mp4', film('160x120', 20)))
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
  leaving.signal('SIGTERM')
  const ids = [held, ...(await Promise.all([door, other, door, other].map((host) => accepted(host))))]
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

test('what workers did that are killed in any stage two others still do, and nothing is left', async () => {
  const door = await start({ ...settings, PREPARE_QUEUE_JOBS: '0' })
  const FFMPEG_PATH = await slowFfmpeg(media)
  const taking = await startWorker(door, { FFMPEG_PATH })
  const taken = await accepted(door)
  await until('it is taken', async () => (await held()) > 0)
  await kill(taking)
  const working = await startWorker(door, { FFMPEG_PATH, MAX_CONCURRENT_JOBS: '3' })
  const prepared = await accepted(door, long)
  await until('it is prepared', async () => (await stateOf(door, prepared)).state === 'preparing')
  const storing = await acceptedUntilStored(door)
  await kill(working)
  const ids = [taken, prepared, ...storing]
  await Promise.all([startWorker(door), startWorker(door)])
  const since = Date.now()
  const seen: string[] = []
  const made: string[] = []
  for (const id of ids) {
    const look = async () => {
      const at = await stateOf(door, id)
      seen.push(at.state)
      return at
    }
    const patience = { everyMs: 1000, ms: since + 45_000 - Date.now(), story: () => seen.join(' ') }
    const { session_id = '' } = await eventually(look, ({ state }) => state === 'done', patience)
    made.push(session_id)
  }
  assert.not.ok(seen.includes('failed'), seen.join(' '))
  await until('the queue is empty', async () => (await held()) + (await waiting()) === 0)
  const left = await entriesBelow(join(door.dataDir, 'store'))
  const ofUploads = left.filter((name) => name.startsWith('uploads/') && !name.endsWith('.status'))
  assert.equal(ofUploads, [])
  assert.equal((await sessionsWithRecord(door)).sort(), made.sort())
  // What prevents the sessions of those that were killed takes no space.
  const ofOthers = left.filter(
    (name) => /^sessions\/.*\/./.test(name) && !made.some((id) => name.startsWith(`sessions/${id}/`)),
  )
  assert.ok(
    ofOthers.every((name) => name.endsWith('/session.json')),
    ofOthers.join(' '),
  )
})

test('clients take turns in a worker, and one at its max_jobs keeps no slot from another', async () => {
  const MEDIA_SERVICE_TOKENS = 'greedy:token-of-the-greedy:1,small:token-of-the-small'
  const door = await start({ ...settings, MEDIA_SERVICE_TOKENS, PREPARE_QUEUE_JOBS: '0' })
  const ids: string[] = []
  for (const name of ['greedy', 'greedy', 'small'])
    ids.push(await accepted(door, clip, { Authorization: `Bearer token-of-the-${name}` }))
  const FFMPEG_PATH = await slowFfmpeg(media)
  const worker = await startWorker(door, { MEDIA_SERVICE_TOKENS, FFMPEG_PATH, MAX_CONCURRENT_JOBS: '2' })
  const isEmpty = async () => (await held()) + (await waiting()) === 0
  await until('the queue is empty', isEmpty, { everyMs: 300 })
  const prepared = [...worker.stderr().matchAll(/"message":"prepared".*?"client":"(\w+)"/g)]
  assert.is(prepared.length, ids.length)
  assert.ok(prepared.findIndex(([, name]) => name === 'small') < 2, worker.stderr())
  assert.match(worker.stderr(), /"taken before its message".*"ended":"done".*"client":"small"/)
  const noted = (await entriesBelow(join(door.dataDir, 'store'))).filter((name) =>
    name.startsWith('waiting/'),
  )
  assert.equal(noted, [])
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

async function accepted(host: ProcessHost, film = clip, headers = {}): Promise<string> {
  const upload_id = await uploaded(host, film, undefined, { headers })
  const init = { headers: { Prefer: 'respond-async', ...headers } }
  const answer = await postJson(host, '/prepare', { upload_id }, init)
  assert.is(answer.status, 202)
  assert.equal(await jsonOf(answer), { upload_id, state: 'received' })
  return upload_id
}

/** @returns the last one is being stored; one before it was when nothing looked */
async function acceptedUntilStored(host: ProcessHost): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const id = await accepted(host)
    ids.push(id)
    let isStored = false
    const hasCome = async () => {
      isStored = await isStoring(host.dataDir)
      return isStored || (await stateOf(host, id)).state === 'done'
    }
    await until('it is stored', hasCome, { everyMs: 1 })
    if (isStored) return ids
  }
}

async function kill(worker: ServerProcess): Promise<void> {
  worker.signal('SIGKILL')
  await worker.ended
}

const stateOf = async (host: ProcessHost, id: string) => jsonOf<State>(await host.send(`/uploads/${id}`))

/** How many messages are kept from others now, and how many wait. */
const held = () => countOf('ApproximateNumberOfMessagesNotVisible')
const waiting = () => countOf('ApproximateNumberOfMessages')

async function countOf(attribute: string): Promise<number> {
  const asked = { QueueUrl: settings.PREPARE_QUEUE_URL, AttributeNames: [attribute] }
  const { Attributes } = await callSqs(moto, 'GetQueueAttributes', asked)
  return Number((Attributes as Readonly<Record<string, string>>)[attribute])
}

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
