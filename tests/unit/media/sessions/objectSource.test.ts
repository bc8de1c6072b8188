import { ServiceError } from '#core/errors'
import { openObjectSource } from '#core/media/sessions/objectSource'
import { codeOf } from '../../../support/media/prepared'
import { assert, suite } from '../../../support/runner/suite'
import { countingStore } from '../../../support/store/countingStore'
import { createMemoryStore } from '../../../support/store/memoryStore'

const test = suite('object source', { setUp })
const KEY = 'sessions/a/original'
const BYTES = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251)

async function sourceOf(store: Parameters<typeof openObjectSource>[0]) {
  const source = await openObjectSource(store, KEY)
  if (!source) throw new Error('There is no such object.')
  return source
}

async function setUp(bytes = BYTES) {
  const memory = createMemoryStore()
  await memory.putBytes(KEY, bytes, { contentType: 'video/mp4' })
  const counting = countingStore(memory)
  const source = await sourceOf(counting.store)
  counting.reset()
  return { memory, source, ...counting }
}

test('any part of the object, the whole and nothing', async ({ source }) => {
  assert.is(source.size, BYTES.length)
  for (const [start, end] of [
    [0, 10],
    [65_530, 65_540],
    [99_990, 100_000],
    [0, 100_000],
    [100_000, 100_000],
  ] as const)
    assert.equal(await source.read(start, end), BYTES.subarray(start, end), `${start}–${end}`)
})

test('small reads of the first bytes are one request, others one each', async ({ source, reads }) => {
  await Promise.all([source.read(0, 16), source.read(16, 32), source.read(40_000, 60_000)])
  assert.equal(reads, { requests: 1, bytes: 65_536 })
  await source.read(70_000, 70_010)
  assert.equal(reads, { requests: 2, bytes: 65_546 })
})

test('an object that is shorter than the first block', async () => {
  const { source, reads } = await setUp(BYTES.subarray(0, 5))
  assert.equal(await source.read(1, 5), BYTES.subarray(1, 5))
  assert.equal(reads, { requests: 1, bytes: 5 })
})

test('a range outside the object is an error and not a shorter answer', async ({ source, reads }) => {
  for (const [start, end] of [
    [-1, 2],
    [3, 2],
    [99_999, 100_001],
  ] as const)
    assert.instance(await source.read(start, end).catch((error: unknown) => error), RangeError)
  assert.is(reads.requests, 0)
})

test('an absent object has no source; a removed one is not found, also in its first bytes', async () => {
  const { memory, source } = await setUp()
  await memory.delete([KEY])
  assert.is(await openObjectSource(memory, KEY), undefined)
  assert.is(await codeOf(source.read(0, 10)), 'not-found')
  assert.is(await codeOf(source.read(70_000, 70_010)), 'not-found')
})

test('a read that failed is tried again', async ({ memory }) => {
  let failures = 1
  const source = await sourceOf({
    ...memory,
    open: (key, range) =>
      failures-- > 0 ? Promise.reject(new ServiceError('unavailable', 'No.')) : memory.open(key, range),
  })
  assert.is(await codeOf(source.read(0, 10)), 'unavailable')
  assert.equal(await source.read(0, 10), BYTES.subarray(0, 10))
})

test.run()
