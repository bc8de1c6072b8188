import { type SqsQueue, sqsQueue } from '@lantern-room/adapters/objectStore/queue'
import { type Moto, motoMissing, startMoto } from '#support/hosts/moto'
import { callSqs, createdQueue, type SqsMessage } from '#support/hosts/sqs'
import { assert, suite } from '#support/runner/suite'
import { rejectedRefusal, rejection } from '#support/values/failures'

// The queue that hosts share, against an emulator of SQS.

const missing = await motoMissing()
const suiteOf = suite('a queue of SQS', { timeoutMs: 60_000 })
const test = suiteOf.skipUnless(missing === undefined, missing ?? '')
const { signal } = new AbortController()
const soon = { waitSeconds: 1, holdSeconds: 30, signal }
let moto: Moto
let url: string
let queue: SqsQueue

suiteOf.before(async () => {
  if (missing !== undefined) return
  moto = await startMoto()
  Object.assign(process.env, moto.settings, { AWS_REGION: 'eu-central-1' })
})
suiteOf.before.each(async () => {
  if (missing !== undefined) return
  url = await createdQueue(moto, 'port')
  queue = sqsQueue(url)
})
suiteOf.after(() => moto?.stop())

test('gives a message to one receiver, who removes it', async () => {
  const before = Date.now()
  await queue.send('{"a":"ä"}')
  const message = await queue.receive(soon)
  assert.is(message?.text, '{"a":"ä"}')
  assert.is(message?.count, 1)
  assert.ok(Math.abs((message?.sentMs ?? 0) - before) < 5000)
  assert.is(await queue.receive(soon), undefined)
  await message?.remove()
  await message?.remove()
})

test('gives a message again when it is given back, and counts', async () => {
  await queue.send('one')
  const first = await queue.receive(soon)
  await first?.hold(0)
  const second = await queue.receive(soon)
  assert.equal([second?.text, second?.count], ['one', 2])
  await second?.hold(1)
  const third = await queue.receive({ ...soon, waitSeconds: 5 })
  assert.equal([third?.text, third?.count], ['one', 3])
})

test('keeps a message back for as long as it was told to', async () => {
  await queue.send('later', { delaySeconds: 2 })
  assert.is(await queue.receive({ ...soon, waitSeconds: 0 }), undefined)
  assert.is((await queue.receive({ ...soon, waitSeconds: 5 }))?.text, 'later')
})

test('names the group of a message, where the server knows groups, and sends it all the same', async () => {
  await queue.send('of a client', { group: 'app: ä' })
  await queue.send('of another', { group: 'batch' })
  const { Messages } = await callSqs(moto, 'ReceiveMessage', {
    QueueUrl: url,
    AttributeNames: ['All'],
    MaxNumberOfMessages: 10,
  })
  const found = (Messages as readonly SqsMessage[]).map(({ Body, Attributes }) => [
    Body,
    Attributes.MessageGroupId,
  ])
  assert.equal(found.map(([body]) => body).sort(), ['of a client', 'of another'])
  for (const [, group] of found)
    assert.ok(group === undefined || group === 'batch' || group === 'app:__', group)
})

test('says in one sentence that it cannot be reached, and stops waiting when it is told to', async () => {
  await rejectedRefusal(sqsQueue(`${url}-gone`).send('x'), 'unavailable')
  await rejectedRefusal(sqsQueue('http://127.0.0.1:9/q').receive(soon), 'unavailable')
  const stop = new AbortController()
  const waiting = queue.receive({ waitSeconds: 20, holdSeconds: 30, signal: stop.signal })
  const reason = new Error('draining')
  stop.abort(reason)
  assert.is(await rejection(waiting), reason)
})

suiteOf.run()
