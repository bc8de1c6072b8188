import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { writeOwnFile } from '#core/adapters/files/writeOwnFile'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { suite } from '#support/runner/suite'

const test = suite('files that only this user may read')

let folder = ''
test.before.each(async () => {
  folder = await makeTempFolder('lantern-own')
})
test.after.each(() => removeFolders(folder))

test('a file takes the place of an older one, and no other user may read it', async () => {
  const path = join(folder, 'made', 'file.json')
  await writeOwnFile(path, 'old')
  await writeOwnFile(path, 'new')
  assert.is(await readFile(path, 'utf8'), 'new')
  assert.equal(await readdir(join(folder, 'made')), ['file.json'])
  if (process.platform !== 'win32') assert.is((await stat(path)).mode & 0o777, 0o600)
})

test('a failure leaves what is there, and no temporary file', async () => {
  const path = join(folder, 'a-folder')
  await mkdir(path)
  await writeFile(join(path, 'inside'), '')
  assert.instance(await writeOwnFile(path, 'text').catch((error: unknown) => error), Error)
  assert.equal(await readdir(folder), ['a-folder'])
  assert.equal(await readdir(path), ['inside'])
})

test.run()
