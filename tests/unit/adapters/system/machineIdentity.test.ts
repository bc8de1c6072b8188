import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readMachineIdentity } from '#internal/adapters/system/machineIdentity'
import { folderOfEachTest, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('the identity of a player')

const folder = folderOfEachTest(test, 'lantern-machine')

test('32 lower-case hexadecimal digits and a secret, the same at every start', async () => {
  const first = await readMachineIdentity(folder())
  assert.match(first.machineId, /^[0-9a-f]{32}$/)
  assert.is(first.secret.length, 32)
  assert.equal(await readMachineIdentity(folder()), first)
})

test('two data folders are two players', async () => {
  const [one, other] = [join(folder(), 'one'), join(folder(), 'other')]
  const [first, second] = [await readMachineIdentity(one), await readMachineIdentity(other)]
  assert.is.not(first.machineId, second.machineId)
  assert.not.equal(first.secret, second.secret)
})

test('a data folder that moves stays the same player', async () => {
  const [before, after] = [join(folder(), 'before'), join(folder(), 'after')]
  const first = await readMachineIdentity(before)
  await rename(before, after)
  assert.equal(await readMachineIdentity(after), first)
})

test('a new folder of the same path, on a machine with the same system id, is another player', async () => {
  const first = await readMachineIdentity(folder())
  await removeFolders(join(folder(), 'room'))
  const again = await readMachineIdentity(folder())
  assert.is.not(again.machineId, first.machineId)
  assert.not.equal(again.secret, first.secret)
})

test('programs that start at once in a new folder have one identity, in files that only this user may read', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => readMachineIdentity(folder())))
  for (const one of all) assert.equal(one, all[0])
  for (const name of ['machine-id', 'host-secret'])
    assert.is((await stat(join(folder(), 'room', name))).mode & 0o777, 0o600)
})

test('an id that was written there by hand counts, in any form', async () => {
  await mkdir(join(folder(), 'room'))
  await writeFile(join(folder(), 'room', 'machine-id'), 'my-own-id\r\n')
  const { machineId } = await readMachineIdentity(folder())
  assert.match(machineId, /^[0-9a-f]{32}$/)
  await writeFile(join(folder(), 'room', 'machine-id'), `  ${'ab'.repeat(16)}\n`)
  assert.is((await readMachineIdentity(folder())).machineId, 'ab'.repeat(16))
})

test.run()
