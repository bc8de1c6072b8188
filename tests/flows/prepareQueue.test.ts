import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessHost } from '#support/hosts/hosts'
import { hostsOfEachTest, sessionsIn, slowFfmpeg } from '#support/hosts/jobs'
import { restApi } from '#support/hosts/lambdaEvents'
import { type LambdaProcess, openTask, startLambda } from '#support/hosts/lambdaProcess'
import { type Moto, motoMissing, startMoto } from '#support/hosts/moto'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import { until } from '#support/values/until'
import { allowed, jsonOf, uploaded } from '../contract/http/requests'

// The functions of a stage with a queue: one takes requests, others what the queue gives them, as Lambda does.

const missing = await motoMissing()
const suiteOf = suite('prepares behind a queue', { timeoutMs: 120_000 })
const test = suiteOf.skipUnless(missing === undefined, missing ?? '')
const media = await mediaFolderOfSuite()
const start = hostsOfEachTest(suiteOf)
const CALLBACK_SECRET = Buffer.alloc(32, 7).toString('base64')
/** Seconds for which a message that was given stays away from others. */
const VISIBILITY = 8

type Message = { readonly Body: string; readonly ReceiptHandle: string; readonly Attributes: object }
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
const running: LambdaProcess[] = []

suiteOf.before(async () => {
  if (missing !== undefined) return
  ;[moto, task] = await Promise.all([startMoto(), openTask(['prepare'])])
  clip = await readFile(await media.make('2.mp4', film('160x120', 2)))
  callback_url = `http://127.0.0.1:${await openPort(listener)}/`
})
suiteOf.before.each(async () => {
  if (missing !== undefined) return
  told.splice(0)
  deadUrl = await created(`dead-${randomUUID()}`)
  const deadLetterTargetArn = `arn:aws:sqs:eu-central-1:123456789012:${deadUrl.split('/').at(-1)}`
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 7 })
  queueUrl = await created(`queue-${randomUUID()}`, { RedrivePolicy, VisibilityTimeout: String(VISIBILITY) })
  // It receives the uploads, and tells what became of them.
  host = await start()
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = moto.settings
  const keys = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } as Readonly<Record<string, string>>
  const callbacks = { CALLBACK_SECRET, CALLBACK_ORIGINS: callback_url }
  settings = { DATA_DIR: host.dataDir, PREPARE_QUEUE_URL: queueUrl, ...keys, ...callbacks }
  door = await startFunction('handler')
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
  const [one, other] = [await startFunction('queued'), await startFunction('queued')]
  const message = await received()
  // Delivered twice at once, and beside the second message: who comes second finds it in use, or used up.
  const second = await received()
  await Promise.allSettled([take(one, message), take(other, message)])
  await take(one, second).catch(() => undefined)
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

test('a worker that is killed loses nothing: the message comes again, and one session is made', async () => {
  const id = await uploaded(host, clip)
  await ask({ upload_id: id, callback_url })
  const doomed = await startFunction('queued', { FFMPEG_PATH: await slowFfmpeg(media) })
  const lost = take(doomed, await received()).catch(() => undefined)
  await until('it is prepared', async () => (await stateOf(id)).state === 'preparing')
  await sleep(500)
  doomed.child.kill('SIGKILL')
  await lost
  const worker = await startFunction('queued')
  for (let isTaken = false; !isTaken; ) {
    isTaken = await take(worker, await received()).then(
      () => true,
      () => false,
    )
  }
  const { state, session_id } = await stateOf(id)
  assert.is(state, 'done')
  // That of the killed worker is prevented.
  for (const session of await sessionsIn(host.dataDir))
    assert.is((await host.send(`/sessions/${session}`)).status, session === session_id ? 200 : 404)
  assert.equal(told, [JSON.stringify({ upload_id: id, state, session_id })])
  assert.is(worker.lines().filter((line) => line.includes('"ClaimsTakenOver":1')).length, 1)
  assert.is(await peek(), undefined)
})

async function startFunction(exported: string, more = {}): Promise<LambdaProcess> {
  const started = await startLambda(task.folder, 'prepare', { ...settings, ...more }, exported)
  running.push(started)
  return started
}

function ask(fields: object) {
  const headers = [
    ['Content-Type', 'application/json'],
    ['Prefer', 'respond-async'],
  ] as const
  const body = new TextEncoder().encode(JSON.stringify(fields))
  return door.send(restApi({ method: 'POST', path: '/prepare', route: '/prepare', headers, body }))
}

const stateOf = async (id: string) => jsonOf<State>(await host.send(`/uploads/${id}`))

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

async function created(QueueName: string, Attributes = {}): Promise<string> {
  return String((await sqs('CreateQueue', { QueueName, Attributes })).QueueUrl)
}

async function sqs(action: string, fields: object): Promise<Readonly<Record<string, unknown>>> {
  const Authorization = 'AWS4-HMAC-SHA256 Credential=a/20260101/eu-central-1/sqs/aws4_request'
  const type = 'application/x-amz-json-1.0'
  const headers = { Authorization, 'Content-Type': type, 'X-Amz-Target': `AmazonSQS.${action}` }
  const url = String(moto.settings.AWS_ENDPOINT_URL)
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(fields) })
  const said = await response.text()
  if (!response.ok) throw new Error(said)
  return said === '' ? {} : JSON.parse(said)
}

suiteOf.run()
