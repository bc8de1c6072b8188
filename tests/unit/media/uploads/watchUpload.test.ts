import { createDeferred } from '@lantern-room/base/async'
import { type Watched, watchUpload } from '#internal/media/uploads/watchUpload'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'

const test = suite('work on an upload that is watched', { setUp })
const ID = 'a'.repeat(32)
const { signal: never } = new AbortController()

function setUp(store = createMemoryStore(() => 0)) {
  const clock = createFakeClock()
  const warnings: string[] = []
  const writes: unknown[] = []
  const putBytes: typeof store.putBytes = async (key, bytes, options) => {
    writes.push(JSON.parse(new TextDecoder().decode(bytes)))
    await store.putBytes(key, bytes, options)
  }
  const log = { warn: (text: string) => void warnings.push(text) }
  const watch = <T>(work: (watched: Watched) => Promise<T>, signal = never) =>
    watchUpload({ store: { ...store, putBytes }, clock, log }, ID, 'preparing', { signal }, work)
  return { clock, store, writes, warnings, watch }
}

test('progress is written once a second, and every ten seconds without any', async () => {
  const { clock, watch, writes } = setUp()
  const over = createDeferred()
  const watching = watch(async ({ onProgress }) => {
    // The first look at the store came before this.
    await clock.advance(0)
    onProgress({ stage: 'reading' })
    onProgress({ stage: 'preparing', share: 0 })
    await over.promise
  })
  await clock.advance(0)
  assert.is(writes.length, 1)
  await clock.advance(1000)
  assert.is(writes.length, 2)
  await clock.advance(9000)
  assert.is(writes.length, 2)
  await clock.advance(2000)
  assert.is(writes.length, 3)
  over.resolve()
  await watching
  assert.is(clock.timers, 0)
})

test('a store that fails does not disturb the work', async () => {
  const store = createMemoryStore(() => 0)
  const { clock, watch, warnings } = setUp({ ...store, head: () => Promise.reject(new Error('no')) })
  const over = createDeferred()
  const watching = watch(() => over.promise)
  await clock.advance(2500)
  over.resolve()
  await watching
  assert.is(warnings.length, 3)
})

test.run()
