import { openObjectSource } from '#core/media/sessions/objectSource'
import { codeOf } from '../../../support/media/prepared'
import { assert, suite } from '../../../support/runner/suite'
import { countingStore } from '../../../support/store/countingStore'
import { createMemoryStore } from '../../../support/store/memoryStore'

const test = suite('object source', { setUp })
const KEY = 'sessions/a/original'
const BYTES = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251)

async function setUp() {
  const memory = createMemoryStore()
  await memory.putBytes(KEY, BYTES, { contentType: 'video/mp4' })
  const counting = countingStore(memory)
  const source = await openObjectSource(counting.store, KEY)
  if (!source) throw new Error('There is no such object.')
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

test('a range outside the object is an error and not a shorter answer', async ({ source, reads }) => {
  for (const [start, end] of [
    [-1, 2],
    [3, 2],
    [99_999, 100_001],
  ] as const)
    assert.instance(await source.read(start, end).catch((error: unknown) => error), RangeError)
  assert.is(reads.requests, 0)
})

test('an absent object has no source; a removed one is not found', async ({ memory, source }) => {
  await memory.delete([KEY])
  assert.is(await openObjectSource(memory, KEY), undefined)
  assert.is(await codeOf(source.read(0, 10)), 'not-found')
})

test.run()
