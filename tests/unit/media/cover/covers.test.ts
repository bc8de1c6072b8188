import { createDeferred } from '#core/async/deferred'
import { raceSignal } from '#core/async/onAbort'
import { ServiceError } from '#core/errors'
import { createCovers } from '#core/media/cover/covers'
import { createSessions } from '#core/media/sessions/sessions'
import { codeOf, fakeWorkFolders, PREVIEW } from '#support/media/prepared'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'

const test = suite('covers of sessions')
const { signal: never } = new AbortController()
const STILLS = { 'cover.jpg': Uint8Array.of(1, 2, 3), 'thumbnail.jpg': Uint8Array.of(4) }

async function setUp(answer: Parameters<typeof scriptedFfmpeg>[0] = () => ({})) {
  const store = createMemoryStore()
  const sessions = createSessions({ store, ttlSeconds: 100, now: () => 0 })
  const session = await sessions.create(PREVIEW, { path: '/upload' }, never)
  const { workFolders, stillOpen } = fakeWorkFolders(new Map(Object.entries(STILLS)))
  const { ffmpeg, tasks } = scriptedFfmpeg(answer)
  const covers = createCovers({
    ffmpeg,
    webp: { open: async () => undefined },
    limits: { maxInputSeconds: 60, convertTimeoutSeconds: 10 },
    sessions,
    workFolders,
  })
  const isAllClosed = () => stillOpen() === 0 && store.checkedOut() === 0
  return { covers, session, tasks, isAllClosed, store }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('a cover is taken once; another frame is another cover', async () => {
  const { covers, session, tasks, isAllClosed } = await setUp()
  const first = await covers.get(session, 10, never)
  assert.equal(first, { cover: Uint8Array.of(1, 2, 3), thumbnail: Uint8Array.of(4) })
  assert.is(await covers.get(session, 10, never), first)
  assert.is(tasks.length, 1)
  await covers.get(session, 11, never)
  assert.is(tasks.length, 2)
  assert.ok(isAllClosed())
})

test('requests at the same time share one job, which outlives the one that came first', async () => {
  const ended = createDeferred()
  const { covers, session, tasks, isAllClosed } = await setUp(async ({ signal }) => {
    await raceSignal(ended.promise, signal)
    return {}
  })
  const leaving = new AbortController()
  const first = codeOf(covers.get(session, 10, leaving.signal))
  const second = covers.get(session, 10, never)
  await settle()
  leaving.abort(new ServiceError('unavailable', 'gone'))
  assert.is(await first, 'unavailable')
  assert.not.ok(isAllClosed())
  ended.resolve()
  assert.is((await second).cover.length, 3)
  assert.is(tasks.length, 1)
  assert.ok(isAllClosed())
})

test('with the last one that waits the job ends and leaves nothing', async () => {
  const { covers, session, isAllClosed } = await setUp(({ signal }) =>
    raceSignal(new Promise(() => undefined), signal),
  )
  const leaving = new AbortController()
  const waiting = codeOf(covers.get(session, 10, leaving.signal))
  await settle()
  leaving.abort(new ServiceError('unavailable', 'gone'))
  assert.is(await waiting, 'unavailable')
  assert.ok(isAllClosed())
})

test('a failure is not kept', async () => {
  const { covers, session, tasks, isAllClosed } = await setUp(() => ({ exitCode: 1 }))
  assert.is(await codeOf(covers.get(session, 10, never)), 'internal')
  assert.is(await codeOf(covers.get(session, 10, never)), 'internal')
  assert.is(tasks.length, 4, 'from the original and from the preview, twice')
  assert.ok(isAllClosed())
})

test('a session that was removed meanwhile is not found', async () => {
  const { covers, session, store, isAllClosed } = await setUp()
  await store.delete(store.keys())
  assert.is(await codeOf(covers.get(session, 10, never)), 'not-found')
  assert.ok(isAllClosed())
})

test.run()
