import { createHmac } from 'node:crypto'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
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
  const repeated = await postJson(host, '/prepare', { upload_id, callback_url })
  assert.is((await jsonOf<Prepared>(repeated)).session_id, session_id)
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

test('clients have origins and secrets of their own, and all secrets sign', async () => {
  const [app, old, web] = [7, 8, 9].map((byte) => Buffer.alloc(32, byte).toString('base64'))
  const host = await start({
    MEDIA_SERVICE_TOKENS: 'app:token-of-the-app,web:token-of-the-web',
    CALLBACK_SECRET: `app:${app},app:${old},web:${web}`,
    CALLBACK_ORIGINS: `app:${origin},web:https://web.example.com`,
  })
  const by = (name: string) => ({ headers: { Authorization: `Bearer token-of-the-${name}` } })
  const allowed = await postJson(
    host,
    '/uploads',
    { size: short.length, content_type: 'video/mp4' },
    by('app'),
  )
  const { upload_id, url } = await jsonOf<{ upload_id: string; url: string }>(allowed)
  const headers = { 'Content-Type': 'video/mp4' }
  assert.is(
    (await fetch(url, { method: 'PUT', body: new Blob([new Uint8Array(short)]), headers })).status,
    200,
  )
  const body = { upload_id, callback_url: `${origin}/app` }
  await refused(postJson(host, '/prepare', body, by('web')), 400, /CALLBACK_ORIGINS .* for this client/)
  assert.is((await postJson(host, '/prepare', body, by('app'))).status, 200)
  await called(1)
  const { headers: sent, body: told } = calls[0] as Call
  const signed = `${sent['webhook-id']}.${sent['webhook-timestamp']}.${told}`
  const signatures = [app, old].map(
    (secret = '') =>
      `v1,${createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest('base64')}`,
  )
  assert.is(sent['webhook-signature'], signatures.join(' '))
})

test('a callback that nobody took outlives its host, and is told until another one has sent it', async () => {
  const host = await open()
  const callback_url = `${origin}/late`
  answers.push(503, 503, 503)
  const upload_id = await uploaded(host, short)
  const { session_id } = await jsonOf<Prepared>(await postJson(host, '/prepare', { upload_id, callback_url }))
  const follow = async (of: typeof host) => jsonOf(await of.send(`/uploads/${upload_id}`))
  const { callback, ...others } = await follow(host)
  assert.equal(others, { upload_id, state: 'done', session_id })
  const { state, tries, next_at } = callback as Readonly<Record<string, unknown>>
  assert.equal([state, tries], ['pending', 3])
  assert.ok(Math.abs(Number(next_at) - Date.now() / 1000 - 26) < 15)
  host.server.signal('SIGKILL')
  await host.server.ended

  // Another host an hour later, when nothing else is left of the upload.
  const store = join(host.dataDir, 'store')
  const [due = ''] = await readdir(join(store, 'callbacks', 'due'))
  const past = String(Number(due.slice(0, 11)) - 3600).padStart(11, '0') + due.slice(11)
  await rename(join(store, 'callbacks', 'due', due), join(store, 'callbacks', 'due', past))
  await rm(join(store, 'uploads'), { recursive: true })
  const other = await open({ DATA_DIR: host.dataDir })
  await called(4)
  assert.equal(verified(calls[3] as Call), { upload_id, state: 'done', session_id })
  assert.is(new Set(calls.map(({ headers }) => headers['webhook-id'])).size, 1)
  await until('it is told', async () => {
    const { callback: now } = await follow(other)
    return (now as { state?: string }).state === 'delivered'
  })
  assert.equal(await follow(other), {
    upload_id,
    state: 'done',
    session_id,
    callback: { state: 'delivered', tries: 4 },
  })
})

suiteOf.run()
