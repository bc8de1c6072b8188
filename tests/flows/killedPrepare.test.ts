import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessHost } from '#support/hosts/hosts'
import { hostsOfEachTest, sessionsIn, slowFfmpeg } from '#support/hosts/jobs'
import { formEvent } from '#support/hosts/lambdaEvents'
import { type LambdaProcess, openTask, startLambda } from '#support/hosts/lambdaProcess'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'
import { jsonOf, type Prepared, postJson, prepareUpload, uploaded } from '../contract/http/requests'
import { entriesBelow } from '../contract/ports/leaks'

// Hosts and functions that are killed while they prepare an upload, and others on their store that are asked again.

const suiteOf = suite('a host or function that is killed while it prepares', { timeoutMs: 300_000 })
const test = suiteOf.skipUnless(process.platform === 'linux', 'it runs a shell script as ffmpeg')
const media = await mediaFolderOfSuite()
const start = hostsOfEachTest(suiteOf)
let clip: Uint8Array
let FFMPEG_PATH = ''

suiteOf.before(async () => {
  clip = await readFile(await media.make('2.mp4', film('160x120', 2)))
  FFMPEG_PATH = await slowFfmpeg(media)
})

const MOMENTS = 3
/** A film of two seconds takes about that long, with what comes before and after. */
const LAST_MS = 3000

type State = { readonly state: string; readonly session_id?: string; readonly expires_at?: number }

type PrepareAgain = (id: string) => Promise<Response>

const stateOf = async (host: ProcessHost, id: string) => jsonOf<State>(await host.send(`/uploads/${id}`))

test(`a host leaves one session, or an upload that another prepares within 40 s, at ${MOMENTS} moments`, async () => {
  const DATA_DIR = media.path('killed')
  const MAX_CONCURRENT_JOBS = String(2 * MOMENTS)
  const survivor = await start({ DATA_DIR, MAX_CONCURRENT_JOBS })
  const doomed = await start({ DATA_DIR, MAX_CONCURRENT_JOBS, FFMPEG_PATH })
  const uploadAll = () => Promise.all(Array.from({ length: MOMENTS }, () => uploaded(doomed, clip)))
  const [ids, followed] = [await uploadAll(), await uploadAll()]
  const answers: Promise<unknown>[] = []
  for (const [moment, id] of ids.entries()) {
    answers.push(prepareUpload(doomed, id).catch(() => undefined))
    const headers = { Prefer: 'respond-async' }
    assert.is((await postJson(doomed, '/prepare', { upload_id: followed[moment] }, { headers })).status, 202)
    await sleep(LAST_MS / MOMENTS)
  }
  doomed.server.signal('SIGKILL')
  await doomed.server.ended
  await Promise.all(answers)
  const again: PrepareAgain = (id) => prepareUpload(survivor, id)
  const [made, goneOn] = await Promise.all([
    Promise.all(ids.map((id) => sessionOf(survivor, id, again))),
    Promise.all(followed.map((id) => sessionByItself(survivor, id))),
  ])
  await haveOneSessionEach(survivor, DATA_DIR, [...made, ...goneOn])
})

test(`so does a function, at ${MOMENTS} moments`, async () => {
  const DATA_DIR = media.path('killed-functions')
  // It receives the uploads, and tells what became of them.
  const host = await start({ DATA_DIR })
  const task = await openTask(['prepare'])
  const functions: LambdaProcess[] = []
  async function startFunction(settings = {}): Promise<LambdaProcess> {
    const started = await startLambda(task.folder, 'prepare', { DATA_DIR, ...settings })
    functions.push(started)
    return started
  }
  const asking = (id: string) => formEvent('/prepare', new URLSearchParams({ upload_id: id }))
  try {
    const ids = await Promise.all(Array.from({ length: MOMENTS }, () => uploaded(host, clip)))
    const killed = ids.map(async (id, index) => {
      const doomed = await startFunction({ FFMPEG_PATH })
      const lost = doomed.invoke(await asking(id)).catch(() => undefined)
      await sleep(((index + 1) * LAST_MS) / MOMENTS)
      doomed.child.kill('SIGKILL')
      await lost
    })
    await Promise.all(killed)
    const asked = ids.map(async (id) => {
      const survivor = await startFunction()
      const again: PrepareAgain = async (of) => {
        const { status, body } = await survivor.send(await asking(of))
        return new Response(new Uint8Array(body), { status })
      }
      return sessionOf(host, id, again)
    })
    const made = await Promise.all(asked)
    await haveOneSessionEach(host, DATA_DIR, made)
  } finally {
    await Promise.all(functions.map((one) => one.stop()))
    await task.remove()
  }
})

/** @returns the session that an upload becomes which is only followed, after 202 */
async function sessionByItself(host: ProcessHost, id: string): Promise<string | undefined> {
  const states = new Set<string>()
  const look = async () => {
    const progress = await stateOf(host, id)
    states.add(progress.state)
    return progress
  }
  const { session_id } = await eventually(look, ({ state }) => state === 'done', {
    ms: 45_000,
    everyMs: 1000,
  })
  assert.not.ok(states.has('failed'), [...states].join(' '))
  return session_id
}

/** @returns the session that the upload has become in the end */
async function sessionOf(host: ProcessHost, id: string, again: PrepareAgain): Promise<string | undefined> {
  const answer = await eventually(
    () => again(id),
    ({ status }) => status !== 409,
    { ms: 40_000, everyMs: 500 },
  )
  const { state, session_id } = await stateOf(host, id)
  assert.is(state, 'done', await answer.clone().text())
  assert.is(answer.status, 200)
  assert.is((await jsonOf<Prepared>(answer)).session_id, session_id)
  return session_id
}

async function haveOneSessionEach(host: ProcessHost, dataDir: string, made: readonly (string | undefined)[]) {
  for (const id of made) assert.is((await host.send(`/sessions/${id}`)).status, 200)
  const records = await Promise.all(
    (await sessionsIn(dataDir)).map((id) =>
      readFile(join(dataDir, 'store/sessions', id, 'session.json')).catch(() => Buffer.alloc(0)),
    ),
  )
  assert.is(records.filter(({ length }) => length > 0).length, new Set(made).size)
  assert.is(new Set(made).size, made.length)
  // What killed workers had stored takes no space.
  const stored = await entriesBelow(join(dataDir, 'store/sessions'))
  const isLeft = (name: string) => !made.some((id) => name.startsWith(`${id}`)) && name.includes('/')
  assert.equal(
    (stored ?? []).filter((name) => isLeft(name) && !name.endsWith('/session.json')),
    [],
  )
}

suiteOf.run()
