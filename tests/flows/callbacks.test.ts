import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { hostsOfEachTest, isWorking, sessionsIn, slowFfmpeg } from '#support/hosts/jobs'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { until } from '#support/values/until'
import { jsonOf, type Prepared, postJson, refused, uploaded } from '../contract/http/requests'

// A client's server, which is told how uploads have ended.

const suiteOf = suite('callbacks', { timeoutMs: 60_000 })
const test = suiteOf.skipUnless(process.platform === 'linux', 'it looks into /proc')
const media = await mediaFolderOfSuite()
const start = hostsOfEachTest(suiteOf)
const SECRET = Buffer.alloc(32, 7).toString('base64')

type Call = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }
const calls: Call[] = []
/** Answers of the next calls; 204 after them. */
const answers: number[] = []
const server = createServer(async (request, response) => {
  calls.push({ path: request.url ?? '', headers: request.headers, body: await text(request) })
  response.writeHead(answers.shift() ?? 204, { Location: '/elsewhere' }).end()
})
let origin = ''
let short: Uint8Array
let long: Uint8Array

suiteOf.before(async () => {
  origin = `http://127.0.0.1:${await openPort(server)}`
  short = await readFile(await media.make('short.mp4', film('160x120', 1)))
  long = await readFile(await media.make('long.mp4', film('160x120', 30)))
})
suiteOf.before.each(() => void calls.splice(0))
suiteOf.after(() => void server.close())

const open = (settings = {}) =>
  start({ CALLBACK_ORIGINS: `https://app.example.com,${origin}`, CALLBACK_SECRET: SECRET, ...settings })

/** Verifies a call as its receiver has to. @returns its body */
function verified({ headers, body }: Call): Readonly<Record<string, unknown>> {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const mac = createHmac('sha256', Buffer.from(SECRET, 'base64')).update(signed).digest('base64')
  assert.is(headers['webhook-signature'], `v1,${mac}`)
  assert.ok(Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) < 10)
  assert.is(headers['content-type'], 'application/json')
  return JSON.parse(body)
}

const called = (count: number) => until(`${count} calls`, async () => calls.length >= count)

test('what was prepared is told, with and without an answer that waits, and again until that is taken', async () => {
  const host = await open()
  const callback_url = `${origin}/done?for=me`
  answers.push(500, 307)
  const upload_id = await uploaded(host, short)
  const { session_id } = await jsonOf<Prepared>(await postJson(host, '/prepare', { upload_id, callback_url }))
  await called(3)
  const other = await uploaded(host, short)
  const headers = { Prefer: 'respond-async' }
  const answer = await postJson(host, '/prepare', { upload_id: other, callback_url }, { headers })
  assert.is(answer.status, 202)
  await called(4)
  assert.equal(verified(calls[3] as Call).upload_id, other)
  for (const call of calls.splice(0, 3)) {
    assert.equal(verified(call), { upload_id, state: 'done', session_id })
    assert.is(call.path, '/done?for=me')
    assert.is(call.headers['webhook-id']?.slice(0, 33), `${upload_id}-`)
  }
  // Once told, it is not told again.
  await refused(postJson(host, '/prepare', { upload_id, callback_url }), 404)
  assert.is(calls.length, 1)
})

test('so is what was refused, cancelled, or given up by a host that ends', async () => {
  const host = await open({ FFMPEG_PATH: await slowFfmpeg(media), SHUTDOWN_SECONDS: '1' })
  const callback_url = `${origin}/`
  const bad = await uploaded(host, short.subarray(0, 900))
  await refused(postJson(host, '/prepare', { upload_id: bad, callback_url }), 400)
  await called(1)
  const { error, ...others } = verified(calls[0] as Call) as { error: { status: number } }
  assert.equal([others, error.status], [{ upload_id: bad, state: 'failed' }, 400])

  const left = await uploaded(host, long)
  const answer = postJson(host, '/prepare', { upload_id: left, callback_url })
  await isWorking(host)
  assert.is((await host.send(`/uploads/${left}`, { method: 'DELETE' })).status, 200)
  await refused(answer, 409, /cancelled/)
  await called(2)
  assert.equal(verified(calls[1] as Call), { upload_id: left, state: 'cancelled' })

  const cut = await uploaded(host, long)
  const lost = postJson(host, '/prepare', { upload_id: cut, callback_url })
  await isWorking(host)
  host.server.signal('SIGTERM')
  await refused(lost, 503)
  assert.is(await host.server.ended, 0)
  const { state, expires_at } = verified(calls[2] as Call)
  assert.equal([calls.length, state, typeof expires_at], [3, 'failed', 'number'])
})

test('what is not allowed is refused before anything is prepared', async () => {
  const host = await open()
  const upload_id = await uploaded(host, short)
  const ask = (callback_url: string) => postJson(host, '/prepare', { upload_id, callback_url })
  const near = [
    'https://app.example.com.evil.example/',
    'https://evil.example/https://app.example.com/',
    'https://app.example.com:8443/',
    'http://app.example.com/',
    'https://user@app.example.com/',
    origin.replace('127.0.0.1', 'localhost'),
    'http://169.254.169.254/latest/meta-data/',
    'app.example.com',
  ]
  for (const url of near) await refused(ask(url), 400, /callback_url .* CALLBACK_ORIGINS/)
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(short)]))
  form.append('callback_url', `${origin}/`)
  await refused(
    host.send('/prepare', { method: 'POST', body: form }),
    400,
    /callback_url needs an upload_id.* CALLBACK_ORIGINS/,
  )
  const closed = await start({ DATA_DIR: host.dataDir })
  const body = { upload_id, callback_url: 'https://app.example.com/' }
  await refused(postJson(closed, '/prepare', body), 400, /CALLBACK_ORIGINS/)
  assert.equal([calls.length, await sessionsIn(host.dataDir)], [0, []])
  assert.is((await postJson(closed, '/prepare', { upload_id })).status, 200)
})

suiteOf.run()
