import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openFileSource } from '@lantern-room/adapters/files'
import { bytesSource } from '#internal/mp4/source/byteSource'
import { byteSourceCases, SOURCE_BYTES } from '#support/media/byteSourceCases'
import { codeOf } from '#support/media/prepared'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('byte sources')
const path = join(await folderOfSuite('lantern-source'), 'file')

async function openFile() {
  await writeFile(path, SOURCE_BYTES)
  return openFileSource(path)
}

byteSourceCases(test, 'bytes at hand', async () => bytesSource(SOURCE_BYTES))
byteSourceCases(test, 'a file', openFile)

test('a file that was removed is not found', async () => {
  const source = await openFile()
  await rm(path)
  assert.is(await codeOf(source.read(0, 10)), 'not-found')
  assert.is(await codeOf(openFileSource(path)), 'not-found')
})

test.run()
