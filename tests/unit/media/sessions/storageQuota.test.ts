import { createStorageQuota } from '#core/media/sessions/storageQuota'
import { codeOf } from '../../../support/media/prepared'
import { createFakeClock } from '../../../support/network/fakeClock'
import { assert, suite } from '../../../support/runner/suite'
import { createMemoryStore } from '../../../support/store/memoryStore'

const test = suite('storage quota')

function setUp(limits: { maxStoreBytes?: number; minFreeBytes?: number }) {
  const clock = createFakeClock()
  const store = createMemoryStore(clock.unixTime)
  const disk = { free: 1000, asked: 0 }
  const freeBytes = async () => {
    disk.asked += 1
    return disk.free
  }
  const quota = createStorageQuota({
    store,
    workFolders: { freeBytes },
    limits: { maxStoreBytes: limits.maxStoreBytes, minFreeBytes: limits.minFreeBytes },
    clock,
  })
  const put = (key: string, bytes: number) =>
    store.putBytes(key, new Uint8Array(bytes), { contentType: 'video/mp4' })
  return { clock, disk, quota, put, store }
}

test('without limits everything fits, and nothing is measured', async () => {
  const { quota, disk } = setUp({})
  await quota.take(1e15)
  assert.is(disk.asked, 0)
})

test('sessions and uploads count, other objects do not', async () => {
  const { quota, put } = setUp({ maxStoreBytes: 100 })
  await put('sessions/a/original', 30)
  await put('uploads/b', 20)
  await put('check/c', 1000)
  await quota.check(50)
  assert.is(await codeOf(quota.check(51)), 'unavailable')
})

test('what has been taken counts until it is measured', async () => {
  const { quota, put, clock } = setUp({ maxStoreBytes: 100 })
  await quota.take(60)
  await quota.check(40)
  assert.is(await codeOf(quota.take(41)), 'unavailable')
  await put('uploads/a', 50)
  await clock.advance(10_000)
  await quota.take(50)
  assert.is(await codeOf(quota.check(0)), 'unavailable', 'nothing is left')
})

test('the disk keeps its free space, also from uploads of unknown length', async () => {
  const { quota, disk, clock } = setUp({ minFreeBytes: 400 })
  await quota.check(600)
  assert.is(await codeOf(quota.check(601)), 'unavailable')
  disk.free = 400
  await quota.check(0)
  await clock.advance(10_000)
  assert.is(await codeOf(quota.check(0)), 'unavailable')
  assert.is(disk.asked, 2)
})

test.run()
