import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { ProcessHost } from '#support/hosts/hosts'
import {
  allGone,
  heldFfmpeg,
  hostsOfEachTest,
  isWorking,
  leaveAtWork,
  programsOn,
  sessionsIn,
  slowFfmpeg,
  unfinished,
} from '#support/hosts/jobs'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { projectRoot, type Settings, startServer } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { eventually, until } from '#support/values/until'
import {
  convert,
  jsonOf,
  postJson,
  prepare,
  prepared,
  prepareUpload,
  refused,
  uploaded,
} from '../contract/http/requests'
import { entriesBelow } from '../contract/ports/leaks'

// A server whose clients leave, that is told to stop, and that is killed: real processes and signals, a real ffmpeg.

const lifecycle = suite('the life of the Node host', { timeoutMs: 60_000 })
const test = lifecycle.skipUnless(process.platform === 'linux', 'it looks into /proc')

const media = await mediaFolderOfSuite()
const start = hostsOfEachTest(lifecycle)
let slow: Settings
/** 30 s, which the slow ffmpeg needs for it; and 2 s. */
let long: Uint8Array
let short: Uint8Array

/** What runs when a signal comes has so long to finish. */
const GRACE_MS = 10_000
const SHORT_MS = 3000

const TOKEN = 'token-of-the-clients'

const asEvents = { headers: { Accept: 'text/event-stream' } }

/** Reads a body until its text matches. @throws when it ends before */
async function readUntil(body: ReadableStream<Uint8Array> | null, pattern: RegExp): Promise<void> {
  let text = ''
  for await (const chunk of body ?? []) {
    text += new TextDecoder().decode(chunk)
    if (pattern.test(text)) return
  }
  throw new Error(`It ended without ${pattern}: ${text}`)
}

lifecycle.before(async () => {
  slow = { FFMPEG_PATH: await slowFfmpeg(media) }
  const filmOf = async (seconds: number) =>
    readFile(await media.make(`${seconds}.mp4`, film('160x120', seconds, 'sound')))
  long = await filmOf(30)
  short = await filmOf(2)
})

test('a client that leaves in the middle of its upload leaves nothing behind', async () => {
  const host = await start()
  const upload = await beginUpload(host)
  upload.destroy()
  await allGone(host)
  assert.equal(await sessionsIn(host.dataDir), [])
  assert.is((await host.send('/health')).status, 200)
})

test('a client that leaves while its film is transcoded ends the transcoding', async () => {
  const host = await start(slow)
  await leaveAtWork(host, (signal) => prepare(host, long, { signal }))
  assert.equal(await sessionsIn(host.dataDir), [])
  assert.is((await host.send('/health')).status, 200)
  await until('the log says so', async () => host.server.stderr().includes('client left'))
  assert.not.match(host.server.stderr(), /"level":"error"/)
})

test('a client that leaves while its motion photo is made ends the work, and the session stays', async () => {
  const dataDir = media.path('convert')
  await mkdir(dataDir)
  const { session_id } = await prepared(await start({ DATA_DIR: dataDir }), long)
  const host = await start({ ...slow, DATA_DIR: dataDir })
  const fields = { session_id, range_start: '0', range_end: '30', cover_time: '29', speed: '0.7' }
  await leaveAtWork(host, (signal) => convert(host, fields, { signal }))
  assert.equal(await sessionsIn(dataDir), [session_id])
  assert.is((await host.send(`/sessions/${session_id}`)).status, 200)
})

test('a client that leaves in the middle of its events ends the transcoding; before, they told how far it was', async () => {
  const host = await start(slow)
  const leaver = new AbortController()
  const { status, body } = await prepare(host, long, { ...asEvents, signal: leaver.signal })
  assert.is(status, 200)
  await readUntil(body, /"stage":"preparing","percent":(0\.[1-9]|[1-9])/)
  leaver.abort()
  await allGone(host)
  assert.equal(await sessionsIn(host.dataDir), [])
  assert.is((await host.send('/health')).status, 200)
})

test('SIGTERM lets events run to their result', async () => {
  const ffmpeg = await heldFfmpeg(media)
  const host = await start({ FFMPEG_PATH: ffmpeg.path })
  // fetch cancels the body of a response that is collected as garbage: the response is kept, not its body alone.
  const response = await prepare(host, short, asEvents)
  await isWorking(host).catch(async ({ message }: Error) => {
    assert.unreachable(`${message}; the events were: ${await response.text()}`)
  })
  host.server.signal('SIGTERM')
  await host.server.said(/SIGTERM/)
  await ffmpeg.letGo()
  await readUntil(response.body, /event: result\ndata: \{"session_id"/)
  assert.is(await host.server.ended, 0)
  assert.is((await sessionsIn(host.dataDir)).length, 1)
})

test('a killed server takes its ffmpeg with it, and its next start clears away the rest', async () => {
  const dataDir = media.path('killed')
  await mkdir(dataDir)
  const host = await start({ ...slow, DATA_DIR: dataDir })
  const answer = prepare(host, long)
  answer.catch(() => undefined)
  const upload = await beginUpload(host)
  await isWorking(host)
  host.server.signal('SIGKILL')
  const took = await until('its ffmpeg is gone', async () => (await programsOn(dataDir)).length === 0, {
    ms: 15_000,
  })
  console.log(`after SIGKILL its ffmpeg was gone within ${took.toFixed(0)} ms`)
  await answer.catch(() => undefined)
  upload.destroy()
  assert.ok((await unfinished(dataDir)).length >= 2, 'both requests were cut in the middle')

  const next = await start({ DATA_DIR: dataDir })
  await prepared(next, short)
  await allGone(next)
  assert.is((await sessionsIn(dataDir)).length, 1)
})

test('SIGTERM lets the running request finish, answers new ones with 503, and ends with exit code 0', async () => {
  const ffmpeg = await heldFfmpeg(media)
  const host = await start({ FFMPEG_PATH: ffmpeg.path })
  const idle = await connected(host)
  const running = prepared(host, short)
  await isWorking(host)
  const startedAt = performance.now()
  host.server.signal('SIGTERM')
  await host.server.said(/SIGTERM/)

  await refused(host.send('/health'), 503, /stopping/)
  assert.match(
    await askOn(idle),
    /^(HTTP\/1\.1 503 [\s\S]*\{"detail":"[^"]*stopping[^"]*","code":"unavailable"\}|)$/,
  )

  await ffmpeg.letGo()
  assert.is((await running).frames, 60)
  assert.is(await host.server.ended, 0)
  assert.ok(performance.now() - startedAt < GRACE_MS, 'it ends with its last answer')
  assert.is((await sessionsIn(host.dataDir)).length, 1)
  assert.equal(await unfinished(host.dataDir), [])
})

test('SIGTERM turns its health first: it serves on for DRAIN_SECONDS, then takes no connection and finishes what runs', async () => {
  const ffmpeg = await heldFfmpeg(media)
  const ports = { MEDIA_METRICS_PORT: '0' }
  const host = await start({
    FFMPEG_PATH: ffmpeg.path,
    DRAIN_SECONDS: '3',
    MEDIA_SERVICE_TOKEN: TOKEN,
    ...ports,
  })
  const [, metrics] = await host.server.said(/"metrics are served".*"url":"(http:[^"]+)"/)
  const headers = { Authorization: `Bearer ${TOKEN}` }
  const running = prepared(host, short, { headers })
  await isWorking(host)
  host.server.signal('SIGTERM')
  await host.server.said(/SIGTERM: serving for 3 s more, then finishing what runs/)

  // A proxy needs no token to see it.
  await refused(host.send('/health'), 503, /stopping/)
  await refused(fetch(`${metrics}/health`), 503, /stopping/)
  const served = await host.send('/openapi.json', { headers })
  assert.equal([served.status, served.headers.get('connection')], [200, 'close'])
  await served.text()

  const ask = () =>
    host.send('/openapi.json', { headers }).then(
      ({ status }) => status,
      ({ cause }) => cause.code,
    )
  await eventually(ask, (answer) => answer === 'ECONNREFUSED')
  await ffmpeg.letGo()
  assert.is((await running).frames, 60)
  assert.is(await host.server.ended, 0)
})

test('SIGINT, of a person at the terminal, waits for no proxy', async () => {
  const host = await start({ DRAIN_SECONDS: '3600' })
  host.server.signal('SIGINT')
  assert.is(await host.server.ended, 0)
})

test('a signal ends an idle server at once, whoever is still connected', async () => {
  const host = await start()
  assert.is((await host.send('/health')).status, 200)
  const idle = await connected(host)
  const startedAt = performance.now()
  host.server.signal('SIGTERM')
  assert.is(await host.server.ended, 0)
  assert.ok(performance.now() - startedAt < GRACE_MS)
  idle.destroy()
})

test('what is prepared when no request waits is handed back in the end: another host goes on with it at once', async () => {
  const DATA_DIR = media.path('handed-back')
  const [host, other] = [await start({ ...slow, DATA_DIR, SHUTDOWN_SECONDS: '1' }), await start({ DATA_DIR })]
  const upload_id = await uploaded(host, long)
  const headers = { Prefer: 'respond-async' }
  const answer = await postJson(host, '/prepare', { upload_id }, { headers })
  assert.is(answer.status, 202)
  await isWorking(host)
  host.server.signal('SIGTERM')
  await host.server.said(/at most 1 s/)
  assert.is(await host.server.ended, 0)
  const follow = async () =>
    jsonOf<{ state: string; session_id?: string }>(await other.send(`/uploads/${upload_id}`))
  assert.is((await follow()).state, 'received')
  const { session_id } = await eventually(follow, ({ state }) => state === 'done')
  const again = await prepareUpload(other, upload_id)
  assert.is(again.status, 200)
  assert.is((await jsonOf<{ session_id: string }>(again)).session_id, session_id)
  assert.is((await sessionsIn(DATA_DIR)).length, 1)
})

test('what has not finished after SHUTDOWN_SECONDS is ended: its client hears 503, the exit code is 0', async () => {
  const brief = { SHUTDOWN_SECONDS: String(SHORT_MS / 1000) }
  const [working, receiving] = await Promise.all([start({ ...slow, ...brief }), start(brief)])
  const answers = [prepare(working, long)]
  await isWorking(working)
  const upload = await beginUpload(receiving)
  const sent = statusOf(upload)
  const startedAt = performance.now()
  for (const { server } of [working, receiving]) server.signal('SIGTERM')

  for (const answer of await Promise.all(answers)) await refused(answer, 503, /stopping/)
  const graceMs = performance.now() - startedAt
  assert.ok(graceMs > SHORT_MS - 500, `${graceMs} ms`)
  assert.equal(await programsOn(working.dataDir), [])
  assert.is(await sent, 503)
  for (const { server, dataDir } of [working, receiving]) {
    assert.is(await server.ended, 0)
    assert.equal(await unfinished(dataDir), [])
    assert.equal(await sessionsIn(dataDir), [])
  }
})

for (const [signal, exitCode] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)
  test(`a second ${signal} ends everything at once`, async () => {
    const host = await start(slow)
    const answer = prepare(host, long)
    answer.catch(() => undefined)
    await isWorking(host)
    host.server.signal(signal)
    await host.server.said(new RegExp(signal))
    host.server.signal(signal)
    // Ten seconds after the first signal it would end with 0.
    assert.is(await host.server.ended, exitCode)
    await until('no ffmpeg is left', async () => (await programsOn(host.dataDir)).length === 0, {
      ms: 15_000,
    })
    await answer.catch(() => undefined)
  })

test('under npm, which puts a shell between, the server stops in order when that shell is told to', async () => {
  const main = join(projectRoot, 'dist/local-runner/main.mjs')
  const settings = { MEDIA_PORT: '0', DATA_DIR: media.path('under-npm'), npm_lifecycle_event: 'start' }
  const shell = startServer(['-c', `'${process.execPath}' '${main}' media; true`], settings, '/bin/sh')
  await shell.said(/listening on/)
  shell.signal('SIGTERM')
  // The shell ends at once; its output only when the server, which shares it, has ended too.
  await shell.ended
  assert.match(shell.stderr(), /SIGTERM: finishing what runs/)
})

/** An upload of which the server has a part, and that has no end. */
async function beginUpload(host: ProcessHost): Promise<ClientRequest> {
  const before = (await uploadsIn(host)).length
  const upload = request(`${host.url}/prepare`, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
  })
  upload.on('error', () => undefined)
  upload.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n')
  upload.write(long.subarray(0, 20_000))
  const isThere = async () => (await uploadsIn(host)).length > before
  await until('a part of the upload is on the disk', isThere)
  return upload
}

async function uploadsIn({ dataDir }: ProcessHost): Promise<string[]> {
  return (await entriesBelow(join(dataDir, 'work'))).filter((entry) => entry.endsWith('/upload'))
}

async function statusOf(upload: ClientRequest): Promise<number | undefined> {
  const [response] = await once(upload, 'response')
  response.resume()
  return response.statusCode
}

/** A connection that has had one answer and is kept. */
async function connected(host: ProcessHost): Promise<Socket> {
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await Promise.race([
    once(socket, 'connect'),
    once(socket, 'error').then(([error]) => {
      throw error
    }),
  ])
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  return socket
}

/** Asks once more on a kept connection. @returns all that comes back until it closes; empty when it was closed */
async function askOn(socket: Socket): Promise<string> {
  let said = ''
  socket.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  if (!socket.closed) {
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'close')
  }
  return said
}

lifecycle.run()
