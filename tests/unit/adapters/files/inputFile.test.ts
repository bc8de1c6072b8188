import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openFileSource } from '#core/adapters/files/inputFile'
import { codeOf } from '#support/media/prepared'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('the bytes of a file')

const folder = await makeTempFolder('lantern-source')
test.after(() => removeFolders(folder))

test('ranges are read exactly', async () => {
  const path = join(folder, 'file')
  await writeFile(
    path,
    Uint8Array.from({ length: 100 }, (_, at) => at),
  )
  const source = await openFileSource(path)
  assert.is(source.size, 100)
  assert.equal([...(await source.read(10, 13))], [10, 11, 12])
  assert.is((await source.read(0, 100)).length, 100)
  assert.is((await source.read(100, 100)).length, 0)
  for (const [start, end] of [
    [-1, 5],
    [5, 4],
    [90, 101],
  ] as const) {
    assert.instance(await source.read(start, end).catch((error) => error), RangeError)
  }
})

test('a file that is not there, or was removed, is not found', async () => {
  const path = join(folder, 'short-lived')
  assert.is(await codeOf(openFileSource(path)), 'not-found')
  await writeFile(path, 'here')
  const source = await openFileSource(path)
  await rm(path)
  assert.is(await codeOf(source.read(0, 1)), 'not-found')
})

test.run()
