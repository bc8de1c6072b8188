import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openFileSource } from '@lantern-room/adapters/files'
import { openObjectSource } from '#internal/media/sessions/objectSource'
import { type ByteSource, bytesSource } from '#internal/mp4/source/byteSource'
import { codeOf } from '#support/media/prepared'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { countingStore } from '#support/store/countingStore'
import { createMemoryStore } from '#support/store/memoryStore'

const test = suite('byte sources')
const BYTES = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251)
const KEY = 'sessions/a/original'
const path = join(await folderOfSuite('lantern-source'), 'file')
const memory = createMemoryStore()
const { store, reads } = countingStore(memory)

const sources: Readonly<Record<string, () => Promise<ByteSource | undefined>>> = {
  'bytes at hand': async () => bytesSource(BYTES),
  'a file': () => openFileSource(path),
  'an object': () => openObjectSource(store, KEY),
}

async function open(kind: string): Promise<ByteSource> {
  await writeFile(path, BYTES)
  await memory.putBytes(KEY, BYTES, { contentType: 'video/mp4' })
  const source = await sources[kind]?.()
  if (!source) throw new Error(`There is no source of ${kind}.`)
  return source
}

for (const kind of Object.keys(sources)) {
  test(`${kind}: any part, the whole and nothing`, async () => {
    const source = await open(kind)
    assert.is(source.size, BYTES.length)
    for (const [start, end] of [
      [0, 10],
      [65_530, 65_540],
      [99_990, 100_000],
      [0, 100_000],
      [100_000, 100_000],
    ] as const)
      assert.equal(Uint8Array.from(await source.read(start, end)), BYTES.subarray(start, end))
  })

  test(`${kind}: a range outside is an error and not a shorter answer`, async () => {
    const source = await open(kind)
    const before = reads.requests
    for (const [start, end] of [
      [-1, 2],
      [3, 2],
      [99_999, 100_001],
    ] as const)
      assert.instance(await source.read(start, end).catch((error: unknown) => error), RangeError)
    assert.is(reads.requests, before)
  })
}

test('what was removed is not found; of an absent object there is no source', async () => {
  const [file, object] = [await open('a file'), await open('an object')]
  await rm(path)
  await memory.delete([KEY])
  for (const source of [file, object]) assert.is(await codeOf(source.read(0, 10)), 'not-found')
  assert.is(await codeOf(openFileSource(path)), 'not-found')
  assert.is(await openObjectSource(memory, KEY), undefined)
})

test.run()
