import { createDeferred } from '#core/async/deferred'
import { raceSignal } from '#core/async/onAbort'
import { ServiceError } from '#core/errors'
import { createCovers } from '#core/media/cover/covers'
import type { Ffmpeg } from '#core/media/ports'
import { createSessions } from '#core/media/sessions'
import { codeOf, fakeWorkFolders, PREVIEW } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'

const test = suite('covers of sessions')
const { signal: never } = new AbortController()
const DONE = { exitCode: 0, stdout: new Uint8Array(), stderr: '' }

async function setUp(run: Ffmpeg['run'] = async () => DONE) {
  const store = createMemoryStore()
  const sessions = createSessions({ store, ttlSeconds: 100, now: () => 0 })
  const session = await sessions.create(PREVIEW, { path: '/upload' }, never)
  const { workFolders, stillOpen } = fakeWorkFolders(
    new Map([
      ['cover.jpg', Uint8Array.of(1, 2, 3)],
      ['thumbnail.jpg', Uint8Array.of(4)],
    ]),
  )
  const runs: string[] = []
  const covers = createCovers({
    ffmpeg: {
      version: async () => 'ffmpeg',
      run(task) {
        runs.push(task.args.join(' '))
        return run(task)
      },
    },
    webp: { open: async () => undefined },
    limits: { maxInputSeconds: 60, convertTimeoutSeconds: 10 },
    sessions,
    workFolders,
  })
  const isAllClosed = () => stillOpen() === 0 && store.checkedOut() === 0
  return { covers, session, runs, isAllClosed, store }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('a cover is taken once; another frame is another cover', async () => {
  const { covers, session, runs, isAllClosed } = await setUp()
  const first = await covers.get(session, 10, never)
  assert.equal(first, { cover: Uint8Array.of(1, 2, 3), thumbnail: Uint8Array.of(4) })
  assert.is(await covers.get(session, 10, never), first)
  assert.is(runs.length, 1)
  await covers.get(session, 11, never)
  assert.is(runs.length, 2)
  assert.ok(isAllClosed())
})

test('requests at the same time share one job, which outlives the one that came first', async () => {
  const ended = createDeferred()
  const { covers, session, runs, isAllClosed } = await setUp(async ({ signal }) => {
    await raceSignal(ended.promise, signal)
    return DONE
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
  assert.is(runs.length, 1)
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
  const { covers, session, runs, isAllClosed } = await setUp(async () => ({ ...DONE, exitCode: 1 }))
  assert.is(await codeOf(covers.get(session, 10, never)), 'internal')
  assert.is(await codeOf(covers.get(session, 10, never)), 'internal')
  assert.is(runs.length, 4, 'from the original and from the preview, twice')
  assert.ok(isAllClosed())
})

test('a session that was removed meanwhile is not found', async () => {
  const { covers, session, store, isAllClosed } = await setUp()
  await store.delete(store.keys())
  assert.is(await codeOf(covers.get(session, 10, never)), 'not-found')
  assert.ok(isAllClosed())
})
