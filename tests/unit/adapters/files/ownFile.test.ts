import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfPresent, readOrCreateOwnFile, writeOwnFile } from '#internal/adapters/files/ownFile'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('files that only this user may read')

const folder = folderOfEachTest(test, 'lantern-own')

const ownAlone = async (path: string) =>
  process.platform === 'win32' || assert.is((await stat(path)).mode & 0o777, 0o600)

test('a file takes the place of an older one, and no other user may read it', async () => {
  const path = join(folder(), 'made', 'file.json')
  await writeOwnFile(path, 'old')
  await writeOwnFile(path, 'new')
  assert.is(await readFile(path, 'utf8'), 'new')
  assert.equal(await readdir(join(folder(), 'made')), ['file.json'])
  await ownAlone(path)
})

test('a failure leaves what is there, and no temporary file', async () => {
  const path = join(folder(), 'a-folder')
  await mkdir(path)
  await writeFile(join(path, 'inside'), '')
  assert.instance(await writeOwnFile(path, 'text').catch((error: unknown) => error), Error)
  assert.equal(await readdir(folder()), ['a-folder'])
  assert.equal(await readdir(path), ['inside'])
})

test('a file is made once: later calls, and those at the same time, read what is there', async () => {
  const path = join(folder(), 'made', 'id')
  let made = 0
  const read = () =>
    readOrCreateOwnFile(path, async () => {
      made += 1
      return `text ${made}`
    })
  const texts = (await Promise.all([read(), read(), read()])).map(String)
  assert.equal(texts, [texts[0], texts[0], texts[0]])
  const madeAtFirst = made
  assert.is(String(await read()), texts[0])
  assert.is(made, madeAtFirst)
  assert.equal(await readdir(join(folder(), 'made')), ['id'])
  await ownAlone(path)
  await writeFile(path, '')
  assert.is(String(await read()), `text ${madeAtFirst + 1}`, 'an empty file is made again')
})

test('a missing file is undefined, and a folder in its place is an error', async () => {
  assert.is(await readIfPresent(join(folder(), 'missing')), undefined)
  await writeFile(join(folder(), 'file'), 'text')
  assert.is(String(await readIfPresent(join(folder(), 'file'))), 'text')
  assert.is(await readIfPresent(join(folder(), 'file', 'below')), undefined)
  const error = await readIfPresent(folder()).catch((cause: unknown) => cause)
  assert.instance(error, Error)
})

test.run()
