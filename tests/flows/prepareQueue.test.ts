import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessHost } from '#support/hosts/hosts'
import { hostsOfEachTest, isStoring, sessionsIn, slowFfmpeg } from '#support/hosts/jobs'
import { restApi } from '#support/hosts/lambdaEvents'
import { type LambdaProcess, openTask, startLambda } from '#support/hosts/lambdaProcess'
import { type Moto, motoMissing, startMoto } from '#support/hosts/moto'
import { callSqs, createdQueue, type SqsMessage } from '#support/hosts/sqs'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import { until } from '#support/values/until'
import { allowed, uploaded } from '../contract/http/requests'

// The functions of a stage with a queue: one takes requests, others what the queue gives them, as Lambda does.

const missing = await motoMissing()
const suiteOf = suite('prepares behind a queue', { timeoutMs: 120_000 })
const test = suiteOf.skipUnless(missing === undefined, missing ?? '')
const media = await mediaFolderOfSuite()
const start = hostsOfEachTest(suiteOf)
const CALLBACK_SECRET = Buffer.alloc(32, 7).toString('base64')
/** Seconds for which a message that was given stays away from others, as in the stack: workers hold it for less. */
const VISIBILITY = 330

const APP = [['Authorization', 'Bearer token-of-the-app']] as const

type Message = Pick<SqsMessage, 'Body' | 'ReceiptHandle'> & { readonly Attributes: object }
type State = {
  readonly state: string
  readonly session_id?: string
  readonly error?: { readonly code: string }
}

const told: string[] = []
const listener = createServer(async (request, response) => {
  told.push(await text(request))
  response.writeHead(204).end()
})
let moto: Moto
let task: Awaited<ReturnType<typeof openTask>>
let clip: Uint8Array
let callback_url = ''
let queueUrl = ''
let deadUrl = ''
let host: ProcessHost
let settings: Readonly<Record<string, string>>
let door: LambdaProcess
/** It tells what became of the uploads. */
let follower: LambdaProcess
const running: LambdaProcess[] = []

suiteOf.before(async () => {
  if (missing !== undefined) return
  ;[moto, task] = await Promise.all([startMoto(), openTask(['prepare', 'upload'])])
  clip = await readFile(await media.make('2.mp4', film('160x120', 2)))
  callback_url = `http://127.0.0.1:${await openPort(listener)}/`
})
suiteOf.before.each(async () => {
  if (missing !== undefined) return
  told.splice(0)
  deadUrl = await createdQueue(moto, 'dead')
  const deadLetterTargetArn = `arn:aws:sqs:eu-central-1:123456789012:${deadUrl.split('/').at(-1)}`
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 7 })
  queueUrl = await createdQueue(moto, 'queue', { RedrivePolicy, VisibilityTimeout: String(VISIBILITY) })
  // It receives the uploads.
  host = await start()
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = moto.settings
  const keys = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } as Readonly<Record<string, string>>
  const callbacks = { CALLBACK_SECRET, CALLBACK_ORIGINS: callback_url }
  settings = { DATA_DIR: host.dataDir, PREPARE_QUEUE_URL: queueUrl, ...keys, ...callbacks }
  ;[door, follower] = await Promise.all([startFunction('handler'), startFunction('handler', {}, 'upload')])
})
suiteOf.after.each(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()))
})
suiteOf.after(async () => {
  listener.close()
  await Promise.all([moto?.stop(), task?.remove()])
})

test('an upload waits in the queue until a function has prepared it, once for every time that it is given', async () => {
  const id = await uploaded(host, clip)
  const answer = await ask({ upload_id: id, callback_url })
  assert.is(answer.status, 202)
  assert.equal(JSON.parse(answer.body.toString()), { upload_id: id, state: 'received' })
  assert.is(answer.headers['preference-applied'], 'respond-async')
  assert.match(answer.headers.location ?? '', new RegExp(`/uploads/${id}$`))
  assert.is((await stateOf(id)).state, 'received')
  assert.is((await ask({ upload_id: id })).status, 202)
  const FFMPEG_PATH = await slowFfmpeg(media)
  const [one, other] = [await startFunction('queued', { FFMPEG_PATH }), await startFunction('queued')]
  const [message, second] = [await received(), await received()]
  const first = take(one, message)
  await until('it is prepared', async () => (await stateOf(id)).state === 'preparing')
  // Delivered a second time while the first one is at work: no error that could raise an alarm, and it is looked at again later.
  await take(other, second)
  assert.is(other.lines().filter((line) => line.includes('"ended":"in use"')).length, 1)
  await first
  await take(other, message)
  const { state, session_id = '' } = await stateOf(id)
  assert.is(state, 'done')
  assert.equal(await sessionsIn(host.dataDir), [session_id])
  assert.equal(told, [JSON.stringify({ upload_id: id, state: 'done', session_id })])
})

test('what can be refused at once is, and nothing is sent', async () => {
  const ready = await uploaded(host, clip)
  const { upload_id } = await allowed(host, clip.length)
  const refusals = [
    [{ upload_id }, 409],
    [{ upload_id: 'a'.repeat(32) }, 404],
    [{ upload_id: ready, from: 3, to: 2 }, 400],
    [{ upload_id: ready, from: 'x' }, 422],
    [{ upload_id: ready, callback_url: 'https://elsewhere.example/' }, 400],
  ] as const
  for (const [fields, status] of refusals) {
    const answer = await ask(fields)
    assert.is(answer.status, status, answer.body.toString())
  }
  assert.is(await peek(), undefined)
  settings = { ...settings, PREPARE_QUEUE_URL: `${queueUrl}-gone` }
  door = await startFunction('handler')
  assert.is((await ask({ upload_id: ready })).status, 503)
})

test('a quota that is used up is told at the door, and of what waited when it was', async () => {
  settings = {
    ...settings,
    MEDIA_SERVICE_TOKENS: 'app:token-of-the-app',
    CLIENT_QUOTAS: 'app:seconds=2',
    CALLBACK_SECRET: `app:${CALLBACK_SECRET}`,
    CALLBACK_ORIGINS: `app:${callback_url}`,
  }
  door = await startFunction('handler')
  const ids = [await uploaded(host, clip), await uploaded(host, clip)]
  for (const upload_id of ids) assert.is((await ask({ upload_id, callback_url }, APP)).status, 202)
  const worker = await startFunction('queued')
  for (const _ of ids) await take(worker, await received())
  const [made, refused] = [await stateOf(ids[0] ?? ''), await stateOf(ids[1] ?? '')]
  assert.equal([made.state, refused.state, refused.error?.code], ['done', 'failed', 'quota-exceeded'])
  assert.equal(
    told.map((body) => JSON.parse(body).state),
    ['done', 'failed'],
  )
  const late = await ask({ upload_id: await uploaded(host, clip) }, APP)
  assert.equal([late.status, JSON.parse(late.body.toString()).code], [429, 'quota-exceeded'])
  assert.is(await peek(), undefined)
})

test('a bad file ends its upload and its message; what no request has sent does no harm', async () => {
  const bad = await uploaded(host, clip.subarray(0, 900))
  await ask({ upload_id: bad, callback_url })
  const worker = await startFunction('queued')
  await take(worker, await received())
  const { state, error } = await stateOf(bad)
  assert.equal([state, error?.code], ['failed', 'invalid-request'])
  assert.is(told.length, 1)
  const id = await uploaded(host, clip)
  const unknown = JSON.stringify({ version: 1, fields: { upload_id: 'a'.repeat(32) } })
  await take(worker, byHand(unknown))
  const kept = [
    '{',
    '[]',
    JSON.stringify({ version: 2, fields: { upload_id: id } }),
    JSON.stringify({ version: 1, fields: {} }),
    JSON.stringify({ version: 1, fields: { upload_id: id, callback_url: 'http://169.254.169.254/' } }),
  ]
  for (const body of kept)
    assert.match(
      String(await rejection(take(worker, byHand(body)))),
      /of this version|CALLBACK_ORIGINS/,
      body,
    )
  const misspelt = JSON.stringify({ version: 1, fields: { upload_id: id, form: '1' } })
  await take(worker, byHand(misspelt))
  assert.is((await stateOf(id)).state, 'received')
  assert.is(told.length, 1)
})

test('what nobody can take is kept aside in the end', async () => {
  await sqs('SendMessage', { QueueUrl: queueUrl, MessageBody: 'by hand' })
  const worker = await startFunction('queued')
  for (let count = 1; count <= 7; count++) {
    const message = await received()
    await rejection(take(worker, message))
    await sqs('ChangeMessageVisibility', { ...handleOf(message), VisibilityTimeout: 0 })
  }
  assert.is(await peek(), undefined)
  assert.is((await peek(deadUrl))?.Body, 'by hand')
})

test('a worker that is killed in any stage loses nothing, and a client that only follows sees that it goes on', async () => {
  const FFMPEG_PATH = await slowFfmpeg(media)
  const stages: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    taken: () => sleep(60),
    preparing: (id) => until('it is prepared', async () => (await stateOf(id)).state === 'preparing'),
    storing: () => until('it is stored', () => isStoring(host.dataDir), { everyMs: 1, ms: 20_000 }),
  }
  const killedAt = new Map<string, number>()
  for (const reached of Object.values(stages)) {
    const id = await uploaded(host, clip)
    await ask({ upload_id: id, callback_url })
    const doomed = await startFunction('queued', { FFMPEG_PATH })
    const lost = take(doomed, await received()).catch(() => undefined)
    await reached(id)
    doomed.child.kill('SIGKILL')
    await lost
    killedAt.set(id, Date.now())
  }
  const over = new AbortController()
  const worker = await startFunction('queued')
  const working = workUntil(over.signal, worker)
  const seen: string[] = []
  const story = () => `${seen.join(' ')}\n${worker.lines().join('\n')}`
  for (const [id, since] of killedAt) {
    const isDone = async () => {
      const { state } = await stateOf(id)
      seen.push(state)
      return state === 'done'
    }
    await until(`${id} is done`, isDone, { everyMs: 1000, ms: since + 45_000 - Date.now(), story })
  }
  over.abort()
  await working
  assert.not.ok(seen.includes('failed'), seen.join(' '))
  const sessions: string[] = []
  for (const id of killedAt.keys()) sessions.push((await stateOf(id)).session_id ?? '')
  const outcomes = [...killedAt.keys()].map((upload_id, index) =>
    JSON.stringify({ upload_id, state: 'done', session_id: sessions[index] }),
  )
  assert.equal([...told].sort(), outcomes.sort())
  // Of the killed workers' sessions, what prevents them is left, and takes no space.
  for (const session of await sessionsIn(host.dataDir)) {
    const objects = await readdir(join(host.dataDir, 'store/sessions', session))
    if (!sessions.includes(session)) assert.equal(objects, ['session.json'])
    assert.is((await host.send(`/sessions/${session}`)).status, sessions.includes(session) ? 200 : 404)
  }
  const uploads = await readdir(join(host.dataDir, 'store/uploads'))
  assert.equal(
    uploads.filter((name) => !/\.(status|told)$/.test(name)),
    [],
  )
})

async function workUntil(over: AbortSignal, worker: LambdaProcess): Promise<void> {
  while (!over.aborted) {
    const message = await peek().catch(() => undefined)
    if (message) await take(worker, message).catch(() => undefined)
    else await sleep(500)
  }
}

async function startFunction(exported: string, more = {}, name = 'prepare'): Promise<LambdaProcess> {
  const started = await startLambda(task.folder, name, { ...settings, ...more }, exported)
  running.push(started)
  return started
}

function ask(fields: object, more: readonly (readonly [string, string])[] = []) {
  const headers = [['Content-Type', 'application/json'], ['Prefer', 'respond-async'], ...more] as const
  const body = new TextEncoder().encode(JSON.stringify(fields))
  return door.send(restApi({ method: 'POST', path: '/prepare', route: '/prepare', headers, body }))
}

async function stateOf(id: string): Promise<State> {
  const path = `/uploads/${id}`
  const { body } = await follower.send(restApi({ method: 'GET', path, route: '/uploads/{upload_id}' }))
  return JSON.parse(body.toString())
}

/** As Lambda does: what the function has taken is deleted, everything else comes again. */
async function take(worker: LambdaProcess, message: Message): Promise<void> {
  const { Body: body, ReceiptHandle: receiptHandle, Attributes: attributes } = message
  await worker.invoke({ Records: [{ body, receiptHandle, attributes, eventSource: 'aws:sqs' }] })
  if (receiptHandle !== '') await sqs('DeleteMessage', handleOf(message))
}

const handleOf = ({ ReceiptHandle }: Message) => ({ QueueUrl: queueUrl, ReceiptHandle })

function byHand(Body: string): Message {
  return { Body, ReceiptHandle: '', Attributes: { ApproximateReceiveCount: '1', SentTimestamp: '0' } }
}

async function received(): Promise<Message> {
  for (;;) {
    const message = await peek()
    if (message) return message
    await sleep(200)
  }
}

async function peek(QueueUrl = queueUrl): Promise<Message | undefined> {
  const { Messages } = await sqs('ReceiveMessage', { QueueUrl, AttributeNames: ['All'] })
  return (Messages as readonly Message[] | undefined)?.[0]
}

const sqs = (action: string, fields: object) => callSqs(moto, action, fields)

suiteOf.run()
