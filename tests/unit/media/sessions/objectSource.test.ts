import { openObjectSource } from '#internal/media/sessions/objectSource'
import { byteSourceCases, SOURCE_BYTES } from '#support/media/byteSourceCases'
import { codeOf } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'
import { countingStore } from '#support/store/countingStore'
import { createMemoryStore } from '#support/store/memoryStore'

const test = suite('objects as sources of bytes')
const KEY = 'sessions/a/original'
const memory = createMemoryStore()
const { store, reads } = countingStore(memory)

async function open() {
  await memory.putBytes(KEY, SOURCE_BYTES, { contentType: 'video/mp4' })
  const source = await openObjectSource(store, KEY)
  if (!source) throw new Error('There is no such object.')
  return source
}

byteSourceCases(test, 'an object', open)

test('a range outside, and one of no bytes, ask the store for nothing', async () => {
  const source = await open()
  const before = reads.requests
  await source.read(99_999, 100_001).catch(() => undefined)
  await source.read(5, 5)
  assert.is(reads.requests, before)
  await source.read(5, 6)
  assert.is(reads.requests, before + 1)
})

test('what was removed is not found; of an absent object there is no source', async () => {
  const source = await open()
  await memory.delete([KEY])
  assert.is(await codeOf(source.read(0, 10)), 'not-found')
  assert.is(await openObjectSource(memory, KEY), undefined)
})

test.run()
