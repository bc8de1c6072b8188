import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { createKeptRoomFile } from '../../../../local-runner/room/textFile'

const test = suite('the file of the room that is kept')

const folder = folderOfEachTest(test, 'kept')
test.before.each(async () => {
  await mkdir(join(folder(), 'room'))
})

const ID = '0123456789abcdef0123456789abcdef'

test('a text is read again until it is removed, and only this user can read it', async () => {
  const file = createKeptRoomFile(folder(), 'service', ID)
  assert.is(await file.read(), undefined)
  await file.write('one')
  await file.write('two')
  assert.is(await file.read(), 'two')
  const [name = '', ...others] = await readdir(join(folder(), 'room'))
  assert.equal([name, others], ['kept-service-01234567.json', []])
  if (process.platform !== 'win32') {
    assert.is((await stat(join(folder(), 'room', name))).mode & 0o777, 0o600)
  }
  await file.remove()
  await file.remove()
  assert.is(await file.read(), undefined)
})

test('services, commands and players have files of their own', async () => {
  await createKeptRoomFile(folder(), 'service', ID).write('service')
  await createKeptRoomFile(folder(), 'command', ID).write('command')
  await createKeptRoomFile(folder(), 'service', 'f'.repeat(32)).write('other')
  assert.is(await createKeptRoomFile(folder(), 'service', ID).read(), 'service')
  assert.is(await createKeptRoomFile(folder(), 'command', ID).read(), 'command')
})

test.run()
