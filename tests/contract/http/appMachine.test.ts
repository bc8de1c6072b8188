import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createFfmpeg } from '@lantern-room/adapters/ffmpeg'
import { ServiceError } from '@lantern-room/base'
import type { MediaDependencies } from '@lantern-room/media'
import type { Ffmpeg, ObjectStore } from '@lantern-room/media/ports'
import type { DirectHost } from '#support/hosts/directHost'
import { gatedFfmpeg } from '#support/media/gatedFfmpeg'
import type { Settings } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { text } from '#support/values/bytes'
import { until } from '#support/values/until'
import { entriesBelow } from '../ports/leaks'
import { clipsOfSuite } from './contract'
import { atTime, hostsOf, leavesNoChild, limitedTo, requestsIn } from './hostsOf'
import {
  convert,
  endlessBody,
  jsonOf,
  type Prepared,
  postJson,
  prepare,
  prepared,
  refused,
  streamed,
} from './requests'

// What depends on the clock, on other requests and on a machine that fails: tried on the app itself.

const test = suite('media API and its machine', { timeoutMs: 60_000 })
const clips = await clipsOfSuite()
leavesNoChild(test, async () => prepared(await start(), clips.gif))
const start = hostsOf(test, (dataDir) => entriesBelow(join(dataDir, 'work')))

test('health is 503 when ffmpeg cannot run', async () => {
  for (const path of ['/nowhere/ffmpeg', '/bin/false', '/etc/passwd']) {
    const host = await start({}, { machine: () => ({ ffmpeg: createFfmpeg({ path }) }) })
    await refused(host.send('/health'), 503)
    const head = await host.send('/health', { method: 'HEAD' })
    assert.is(head.status, 503)
    assert.is(await head.text(), '')
    if (path !== '/bin/false') await refused(prepare(host, clips.silent), 503)
  }
})

test('many requests for health are one check', async () => {
  let checks = 0
  const counting = (store: ObjectStore) => () => {
    checks += 1
    return store.check()
  }
  const machine = ({ store }: MediaDependencies) => ({ store: { ...store, check: counting(store) } })
  const host = await start({}, { machine })
  const answers = await Promise.all(Array.from({ length: 20 }, () => host.send('/health')))
  assert.ok(answers.every(({ status }) => status === 200))
  assert.is(checks, 1)
})

/** Health asks for the version as well, and when the store has failed it does not wait for the process that tells it. */
function withVersion(ffmpeg: Ffmpeg): Ffmpeg {
  return { ...ffmpeg, version: async () => 'fine' }
}

test('what is wrong with the object store is told in the log, and to no stranger', async () => {
  const problem = 'The bucket family-films (S3_BUCKET) does not exist.'
  for (const code of ['unavailable', 'timeout'] as const) {
    const check = () => Promise.reject(new ServiceError(code, problem))
    const machine = ({ store, ffmpeg }: MediaDependencies) => ({
      store: { ...store, check },
      ffmpeg: withVersion(ffmpeg),
    })
    const host = await start({}, { machine })
    const words = /^The storage does not work right now\. Try again later\.$/
    await refused(host.send('/health'), code === 'timeout' ? 504 : 503, words)
    assert.match(JSON.stringify(errorsOf(host)), /family-films/)
  }
})

test('a preview beyond the queue is 429 and told the expected wait; photos and thumbnails are made meanwhile', async () => {
  const { gate, machine } = gatedFfmpeg((task) => task.args.includes('ultrafast'))
  const host = await start({ MAX_CONCURRENT_JOBS: '1', TRUST_PROXY: 'true' }, { machine })
  gate.open()
  const startedAt = performance.now()
  const { session_id } = await prepared(host, clips.silent)
  const oneSeconds = (performance.now() - startedAt) / 1000
  gate.close()

  // One runs and eight wait.
  const leaver = new AbortController()
  const waiting = [
    ...Array.from({ length: 8 }, () => prepare(host, clips.silent)),
    prepare(host, clips.silent, { signal: leaver.signal }),
  ]
  await until('the queue is full', () => isFull(host))
  const fields = { session_id, range_start: '0', range_end: '1', cover_time: '0', speed: '1' }
  // Nine jobs, each for about as long as is guessed at first, or as the first has taken.
  const retryAfter = Number((await prepare(host, clips.silent)).headers.get('Retry-After'))
  assert.ok(retryAfter >= 9 && retryAfter < 12 * Math.max(10, oneSeconds), `${retryAfter} s`)
  await refused(prepare(host, clips.silent), 429, /busy.*in \d+ s/)
  assert.is((await convert(host, fields)).status, 200)
  assert.is((await postJson(host, '/thumbnail', { session_id, timestamp: 0 })).status, 200)
  // Another client has room of its own.
  const other = { headers: { 'X-Forwarded-For': '192.0.2.1, 198.51.100.7' } }
  await refused(prepare(host, text('no film'), other), 400)

  // Whoever leaves the queue makes room in it.
  leaver.abort(new Error('the client left'))
  await waiting.pop()?.catch(() => undefined)
  waiting.push(prepare(host, clips.silent))
  await until('the queue is full', () => isFull(host))
  gate.open()
  for (const { status } of await Promise.all(waiting)) assert.is(status, 200)
})

test('fifty thumbnails at once are all answered', async () => {
  const host = await start()
  const { session_id } = await prepared(host, clips.talking)
  const ask = (frame: number) =>
    postJson(host, '/thumbnail', { session_id, timestamp: frame / 30, width: 80 })
  for (const answer of await Promise.all(Array.from({ length: 50 }, (_, frame) => ask(frame)))) {
    assert.is(answer.status, 200)
    await answer.arrayBuffer()
  }
})

test('each of several tokens has limits of its own', async () => {
  const { gate, machine } = gatedFfmpeg((task) => task.args.includes('ultrafast'))
  const settings = {
    MEDIA_SERVICE_TOKENS: 'app:token-of-the-app,batch:token-of-a-batch:1:5000',
    MEDIA_SERVICE_TOKEN: 'token-without-a-name',
  }
  const host = await start(settings, { machine })
  const by = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
  const [app, batch] = [by('token-of-the-app'), by('token-of-a-batch')]
  assert.is((await host.send('/health', by('token-without-a-name'))).status, 200)
  await refused(host.send('/health', by('token-of-someone')), 401)
  await refused(prepare(host, clips.silent), 401)

  const allow = (init: RequestInit) =>
    postJson(host, '/uploads', { size: 5001, content_type: 'video/mp4' }, init)
  assert.is((await allow(app)).status, 201)
  await refused(allow(batch), 413, /5000 bytes/)
  await refused(prepare(host, new Uint8Array(6000), batch), 413, /5000 bytes/)

  // Of two slots a batch gets one.
  const ofBatch = [prepare(host, clips.gif, batch), prepare(host, clips.gif, batch)]
  await until('the encoder is reached', () => gate.waiting() === 1)
  const ofApp = prepare(host, clips.gif, app)
  await until('the encoder is reached', () => gate.waiting() === 2)
  gate.open()
  for (const { status } of await Promise.all([...ofBatch, ofApp])) assert.is(status, 200)
})

test('the name of a client is in the lines of its requests, of its work and of what it removes', async () => {
  const host = await start({ MEDIA_SERVICE_TOKENS: 'app:token-of-the-app,web:token-of-the-web' })
  const headers = { Authorization: 'Bearer token-of-the-app' }
  const { session_id } = await jsonOf<Prepared>(await prepare(host, clips.gif, { headers }))
  const wanted = { session_id, range_start: '0', range_end: '0.2', cover_time: '0.1', speed: '1' }
  assert.is((await convert(host, wanted, { headers })).status, 200)
  const other = { headers: { Authorization: 'Bearer token-of-the-web' } }
  assert.is((await postJson(host, '/cleanup', { session_id }, other)).status, 200)
  const wish = { size: 10, content_type: 'video/mp4' }
  const { upload_id } = await jsonOf<{ upload_id: string }>(await postJson(host, '/uploads', wish, other))
  await refused(host.send('/health', { headers: { Authorization: 'Bearer token-of-the-wet' } }), 401)
  // The address of an upload needs no token, and then nothing tells who removes it.
  assert.is((await host.send(`/uploads/${upload_id}`, { method: 'DELETE' })).status, 200)

  const lines = host.log.map(({ message, route, client }) => [message, route, client].filter(Boolean))
  assert.equal(lines, [
    ['prepared', 'app'],
    ['request', '/prepare', 'app'],
    ['converted', 'app'],
    ['request', '/convert', 'app'],
    ['removed', 'web'],
    ['request', '/cleanup', 'web'],
    ['request', '/uploads', 'web'],
    ['request', '/health'],
    ['removed'],
    ['request', '/uploads/:upload_id'],
  ])
  const [session, upload] = host.log.filter(({ message }) => message === 'removed')
  assert.equal([session?.session_id, upload?.upload_id], [session_id, upload_id])
  assert.is(typeof session?.request_id, 'string')
  assert.not.match(JSON.stringify(host.log), /token-of/)
})

test('a client that has used its quota is refused before it sends a file, and another one is not', async () => {
  const tokens = { MEDIA_SERVICE_TOKENS: 'app:token-of-the-app,web:token-of-the-web' }
  const host = await start({ ...tokens, CLIENT_QUOTAS: `app:photos=1:bytes=${clips.gif.length + 500}` })
  const by = (name: string) => ({ headers: { Authorization: `Bearer token-of-the-${name}` } })
  const isRefused = async (answer: Response, what: RegExp) => {
    const seconds = Number(answer.headers.get('Retry-After'))
    const left = 86_400 - ((Date.now() / 1000) % 86_400)
    assert.ok(Math.abs(seconds - left) < 60 || seconds <= 1, `${seconds} s`)
    assert.is((await jsonOf<{ code: string }>(answer.clone())).code, 'quota-exceeded')
    await refused(answer, 429, what)
  }
  const { session_id } = await jsonOf<Prepared>(await prepare(host, clips.gif, by('app')))
  const sent = endless(clips.silent)
  const answer = await host.send(
    '/prepare',
    upload(sent, { ...by('app').headers, 'Content-Length': '2000000' }),
  )
  await isRefused(answer, /of \d+ bytes are used/)
  assert.ok(sent.given() <= 2 * CHUNK)
  const wish = { size: 501, content_type: 'video/mp4' }
  await isRefused(await postJson(host, '/uploads', wish, by('app')), /bytes/)
  assert.is((await postJson(host, '/uploads', wish, by('web'))).status, 201)

  const wanted = { session_id, range_start: '0', range_end: '0.2', cover_time: '0.1', speed: '1' }
  // What is refused for another reason uses nothing up.
  await refused(convert(host, { ...wanted, range_end: '99' }, by('app')), 400)
  assert.is((await convert(host, wanted, by('app'))).status, 200)
  await isRefused(await convert(host, wanted, by('app')), /1 of 1 photos are used/)
  assert.is((await convert(host, wanted, by('web'))).status, 200)
  const counted = host.log.filter(({ message }) => message === 'counted')
  assert.equal(
    counted.map(({ what, client }) => [what, client]),
    Array.from({ length: 3 }, () => ['QuotaRefusals', 'app']),
  )
})

test('an upload for which there is no space is 503 before it is read', async () => {
  const full = await start({ MIN_FREE_BYTES: '9000000000000000' })
  for (const path of ['/prepare', '/motion-photo', '/inspect', '/extract', '/repair']) {
    const sent = endless(clips.silent)
    const refusedAtOnce = await full.send(path, upload(sent, { 'Content-Length': '2000000' }))
    assert.is(refusedAtOnce.headers.get('Retry-After'), '300', path)
    await refused(refusedAtOnce, 503, /no space for this upload/)
    assert.ok(sent.given() <= 2 * CHUNK, `${path}: ${sent.given()} bytes were taken`)
  }
  const wish = { size: 10, content_type: 'video/mp4' }
  await refused(postJson(full, '/uploads', wish), 503, /no space/)

  // Both may be sent, as long as neither is there.
  const host = await start({ MAX_STORE_BYTES: '3000' })
  const allow = async () =>
    jsonOf<{ upload_id: string }>(await postJson(host, '/uploads', { ...wish, size: 2000 }))
  const ids = [(await allow()).upload_id, (await allow()).upload_id]
  const [one, other] = ids.map((id) => {
    const headers = { 'Content-Type': 'application/octet-stream' }
    return () => host.send(`/uploads/${id}`, { method: 'PUT', headers, body: new Uint8Array(2000) })
  })
  assert.is((await one?.())?.status, 200)
  assert.ok(other)
  await refused(other(), 503, /no space/)
  const stored = await entriesBelow(join(host.dataDir, 'store', 'uploads'))
  const ofOther = stored.filter((name) => name.startsWith(ids[1] ?? ''))
  assert.equal(ofOther, [`${ids[1]}.json`])
})

test('what takes too long is 504 and is ended', async () => {
  const host = await start({}, limitedTo({ prepareTimeoutSeconds: 0.001 }))
  await refused(prepare(host, clips.talking), 504, /too long/)
  assert.equal(await sessionsOf(host), [])

  const other = await start({}, limitedTo({ convertTimeoutSeconds: 0.001 }))
  const { session_id } = await prepared(other, clips.talking)
  const fields = { session_id, range_start: '0', range_end: '2', cover_time: '0', speed: '0.1' }
  await refused(convert(other, fields), 504, /too long/)
  await refused(postJson(other, '/thumbnail', { session_id, timestamp: 0 }), 504, /too long/)
})

test('a session lives as long as it is said, and not an instant longer', async () => {
  let now = 1_800_000_000_250
  const setClock = atTime(() => now)
  const host = await start({ SESSION_TTL_SECONDS: '100' }, setClock)
  for (const touch of ways) {
    const session = await prepared(host, clips.gif)
    const path = `/sessions/${session.session_id}`
    // Its age is counted from the full second.
    now = session.expires_at * 1000
    assert.is((await host.send(path)).status, 200)
    await host.storeClock.measure()
    now += 1
    await refused(touch(host, session), 404, /no such session/)
    assert.equal(await sessionsOf(host), [], 'its files are removed when it is asked for')
  }
})

test('the sweep removes what has expired, and what was never finished', async () => {
  const host = await start({ SESSION_TTL_SECONDS: '3600' })
  const old = await prepared(host, clips.gif)
  host.wait(3_000_000)
  const young = await prepared(host, clips.gif)
  const orphan = 'f'.repeat(32)
  await host.store.putBytes(`sessions/${orphan}/preview.mp4`, clips.gif, { contentType: 'video/mp4' })
  assert.equal(await sessionsOf(host), [old.session_id, young.session_id, orphan].sort())

  host.wait(700_000)
  assert.equal(await host.sweep(), { sessions: 2, uploads: 0 })
  assert.equal(await sessionsOf(host), [young.session_id])
  assert.equal(await host.sweep(), { sessions: 0, uploads: 0 })
  assert.is((await host.send(`/sessions/${young.session_id}`)).status, 200)
})

test('a session that is still being written is left alone by the sweep', async () => {
  const host = await start()
  await host.store.putBytes(`sessions/${'e'.repeat(32)}/original`, clips.gif, { contentType: 'image/gif' })
  host.wait(50 * 60_000)
  assert.equal(await host.sweep(), { sessions: 0, uploads: 0 })
  assert.is((await sessionsOf(host)).length, 1)
})

test("the preview's address is the one that the client used, or that is set", async () => {
  const forwarded = {
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'media.example.com, inner.example.com',
  }
  const malformed = { 'X-Forwarded-Proto': 'javascript', 'X-Forwarded-Host': 'a b' }
  const cdn = 'https://cdn.example.com'
  const cases: readonly [Settings, Record<string, string>, string][] = [
    [{}, {}, 'http://media.test'],
    [{}, forwarded, 'http://media.test'],
    [{ TRUST_PROXY: 'true' }, forwarded, 'https://media.example.com'],
    [{ TRUST_PROXY: 'true' }, {}, 'http://media.test'],
    [{ TRUST_PROXY: '1' }, malformed, 'http://media.test'],
    [{ TRUST_PROXY: '1' }, { 'X-Forwarded-Host': 'evil.com/path?x' }, 'http://evil.com'],
    [{ PUBLIC_BASE_URL: `${cdn}/media/` }, {}, `${cdn}/media`],
    [{ PUBLIC_BASE_URL: cdn, TRUST_PROXY: 'true' }, forwarded, cdn],
  ]
  for (const [settings, headers, base] of cases) {
    const { session_id, preview_url } = await prepared(await start(settings), clips.gif, { headers })
    assert.is(preview_url, `${base}/preview/${session_id}.mp4`)
  }
})

test('a mistake of ours is 500 and tells nothing; the log knows', async () => {
  const machine = () => ({
    ffmpeg: {
      run: () => Promise.reject(new TypeError("cannot read '/var/lib/secret' of undefined")),
      version: () => Promise.reject(new Error('/usr/bin/ffmpeg')),
    },
  })
  const host = await start({}, { machine })
  await refused(prepare(host, clips.silent), 500, /went wrong/)
  await refused(host.send('/health'), 500)
  const failed = errorsOf(host)
  assert.is(failed.length, 2)
  assert.match(JSON.stringify(failed[0]), /var\/lib\/secret/)
})

test('a session that cannot be stored whole is not there at all', async () => {
  const broken: readonly (keyof ObjectStore)[] = ['createBytes', 'putFile']
  for (const method of broken) {
    const machine = ({ store }: MediaDependencies) => ({
      store: { ...store, [method]: () => Promise.reject(new Error('the disk is on fire')) },
    })
    const host = await start({}, { machine })
    await refused(prepare(host, clips.silent), 500)
    assert.equal(await entriesBelow(join(host.dataDir, 'store', 'sessions')), [])
  }
})

test('of a client that leaves while its session is stored nothing stays', async () => {
  for (const method of ['putFile', 'putBytes'] as const) {
    const leaver = new AbortController()
    const machine = ({ store }: MediaDependencies) => {
      const act = store[method] as (...args: unknown[]) => Promise<unknown>
      const acts = (...args: unknown[]) => act(...args).finally(() => leaver.abort('gone'))
      return { store: { ...store, [method]: acts } }
    }
    const host = await start({}, { machine })
    await prepare(host, clips.silent, { signal: leaver.signal }).catch(() => undefined)
    assert.ok(leaver.signal.aborted, method)
    assert.equal(await sessionsOf(host), [], method)
  }
})

test('a client that leaves ends its job, and no other', async () => {
  const { gate, machine } = gatedFfmpeg((task) => task.args.includes('libx264'))
  const host = await start({}, { machine })
  const leaver = new AbortController()
  // Node's own adapter gives a text as the reason.
  const left = prepare(host, clips.talking, { signal: leaver.signal })
  const stayed = prepare(host, clips.talking)
  await until('the encoder is reached', () => gate.waiting() === 2)
  leaver.abort('Client connection prematurely closed.')
  gate.open()
  await left.catch(() => undefined)
  assert.is((await stayed).status, 200)
  assert.is((await sessionsOf(host)).length, 1)
  assert.is(host.log.filter(({ message }) => message === 'client left').length, 1)
  assert.equal(errorsOf(host), [])
})

test('equal conversions share one run, which goes on until the last client has left', async () => {
  const { gate, machine } = gatedFfmpeg(() => true)
  gate.open()
  const host = await start({}, { machine })
  const { session_id } = await prepared(host, clips.silent)
  gate.close()
  const fields = { session_id, range_start: '0', range_end: '1', cover_time: '0', speed: '1' }
  const leavers = [new AbortController(), new AbortController()]
  const [first, second] = leavers.map(({ signal }) => convert(host, fields, { signal }))
  await until('the cover is reached', () => gate.waiting() > 0)
  const stayed = convert(host, fields)
  const other = convert(host, { ...fields, cover_time: '0.5' })
  await until('the other cover is reached', () => gate.waiting() > 1)
  for (const leaver of leavers) leaver.abort('gone')
  await Promise.allSettled([first, second])
  assert.is(gate.waiting(), 2)
  gate.open()
  for (const { status } of await Promise.all([stayed, other])) assert.is(status, 200)
})

test('the log has one line per request, with its route, and neither token nor address', async () => {
  const token = 'a-secret-token-of-the-log'
  const host = await start({ MEDIA_SERVICE_TOKEN: token })
  const headers = { Authorization: `Bearer ${token}` }
  const { session_id } = await prepared(host, clips.gif, { headers })
  await (await host.send(`/preview/${session_id}.mp4`, { headers })).arrayBuffer()
  await host.send('/secret/path', { headers })
  await host.send('/health')
  assert.equal(requestsIn(host), [
    'POST /prepare 200',
    'GET /preview/:session_id 200',
    'GET /* 404',
    'GET /health 401',
  ])
  const all = JSON.stringify(host.log)
  for (const word of [token, 'secret/path', `${session_id}.mp4`, host.dataDir])
    assert.not.ok(all.includes(word), word)
})

function errorsOf({ log }: DirectHost) {
  return log.filter(({ level }) => level === 'error')
}

/** Every use case that asks for a session. */
const ways: readonly ((host: DirectHost, session: Prepared) => Promise<Response>)[] = [
  (host, { session_id }) => host.send(`/preview/${session_id}.mp4`),
  (host, { session_id }) => host.send(`/preview/${session_id}.mp4`, { headers: { Range: 'bytes=0-0' } }),
  (host, { session_id }) => host.send(`/sessions/${session_id}`),
  (host, { session_id }) => postJson(host, '/thumbnail', { session_id, timestamp: 0 }),
  (host, { session_id }) => postJson(host, '/cleanup', { session_id }),
  (host, { session_id }) =>
    convert(host, { session_id, range_start: '0', range_end: '1', cover_time: '0', speed: '1' }),
]

async function sessionsOf({ dataDir }: DirectHost): Promise<string[]> {
  return (await readdir(join(dataDir, 'store', 'sessions')).catch((): string[] => [])).sort()
}

/** A job that is no film at all is refused as busy only when the queue is full: it never gets a place in it. */
async function isFull(host: DirectHost): Promise<boolean> {
  return (await prepare(host, text('no film'))).status === 429
}

const CHUNK = 65_536

/** The form of an upload that begins with `film` and has no end. */
function endless(film: Uint8Array) {
  const head = text('--x\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n')
  return endlessBody(CHUNK, Buffer.concat([head, film]))
}

function upload({ body }: ReturnType<typeof endless>, headers: Record<string, string> = {}): RequestInit {
  const type = { 'Content-Type': 'multipart/form-data; boundary=x' }
  return streamed('POST', body, { ...type, ...headers })
}

test.run()
