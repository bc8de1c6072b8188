import { createStorageQuota } from '#internal/media/sessions/storageQuota'
import { codeOf } from '#support/media/prepared'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'

// Free space of the disk, and uploads on their way: tests/contract/http/appMachine.test.ts.

const test = suite('storage quota')

test('sessions and uploads count, other objects do not, and they are counted again after ten seconds', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore(clock.unixTime)
  const limits = { maxStoreBytes: 100, minFreeBytes: undefined }
  const quota = createStorageQuota({ store, workFolders: { freeBytes: async () => 0 }, limits, clock })
  const put = (key: string, bytes: number) =>
    store.putBytes(key, new Uint8Array(bytes), { contentType: 'video/mp4' })
  await put('sessions/a/original', 30)
  await put('uploads/b', 20)
  await put('check/c', 1000)
  await quota.check(50)
  assert.is(await codeOf(quota.check(51)), 'unavailable')
  await store.delete(['uploads/b'])
  await clock.advance(10_000)
  await quota.check(70)
})

test('uploads that come while the store is being listed share the room that is found', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore(clock.unixTime)
  const limits = { maxStoreBytes: 100, minFreeBytes: undefined }
  const quota = createStorageQuota({ store, workFolders: { freeBytes: async () => 0 }, limits, clock })
  const taken = await Promise.allSettled(
    [60, 60, 40].map((bytes) => quota.take(bytes, async () => undefined)),
  )
  const statuses = taken.map(({ status }) => status)
  assert.equal(statuses, ['fulfilled', 'rejected', 'fulfilled'])
})

test.run()
