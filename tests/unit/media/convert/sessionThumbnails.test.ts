import * as assert from 'uvu/assert'
import { createSessionThumbnails } from '#core/media/convert/sessionThumbnails'
import { createJobQueue } from '#core/media/jobs/jobQueue'
import { createSessions } from '#core/media/sessions'
import { CLIENT, codeOf, PREVIEW } from '#support/media/prepared'
import { createFakeClock } from '#support/network/fakeClock'
import { suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'

const test = suite('thumbnails of sessions')
const { signal: never } = new AbortController()

async function setUp(exitCode = 0) {
  const store = createMemoryStore()
  const sessions = createSessions({ store, ttlSeconds: 100, now: () => 0 })
  const { id } = await sessions.create(PREVIEW, { path: '/upload' }, never)
  const asked: string[] = []
  const thumbnail = createSessionThumbnails({
    ffmpeg: {
      version: async () => 'ffmpeg',
      async run({ args }) {
        asked.push(args.join(' '))
        return { exitCode, stdout: Uint8Array.of(asked.length), stderr: '' }
      },
    },
    sessions,
    jobs: createJobQueue(2, createFakeClock()),
    limits: { convertTimeoutSeconds: 10 },
    stopping: never,
  })
  const take = (timestamp: number, width?: number) =>
    thumbnail({ sessionId: id, timestamp, width }, { client: CLIENT, signal: never })
  return { take, asked, store, sessions, id, thumbnail }
}

test('one frame and width is taken once, other frames and widths by themselves', async () => {
  const { take, asked, store } = await setUp()
  assert.equal(await take(1), Uint8Array.of(1))
  assert.equal(await take(1.01), Uint8Array.of(1), 'the same frame')
  assert.equal(await take(1, 5000), Uint8Array.of(1), "never wider than the preview's own width")
  assert.equal(await take(1, 320), Uint8Array.of(2))
  assert.equal(await take(2), Uint8Array.of(3))
  assert.is(asked.length, 3)
  assert.match(asked[1] ?? '', 'min(320,iw)')
  assert.is(store.checkedOut(), 0)
})

test('times up to a frame past the end are the last frame; others are out of range', async () => {
  const { take, asked } = await setUp()
  const last = await take(3 - 1 / 30)
  assert.equal(await take(3), last)
  assert.equal(await take(3 + 1 / 30 - 1e-6), last)
  assert.is(await codeOf(take(3 + 1 / 30)), 'out-of-range')
  assert.is(await codeOf(take(-0.001)), 'out-of-range')
  assert.is(asked.length, 1)
})

test('a removed session has no thumbnails, also where one was kept', async () => {
  const { take, sessions, id } = await setUp()
  await take(1)
  await sessions.remove(id)
  assert.is(await codeOf(take(1)), 'not-found')
})

test('a failure releases the preview and is tried again', async () => {
  const { take, asked, store } = await setUp(1)
  assert.is(await codeOf(take(1)), 'internal')
  assert.is(await codeOf(take(1)), 'internal')
  assert.is(asked.length, 2)
  assert.is(store.checkedOut(), 0)
})

test.run()
