import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readMachineIdentity } from '#core/adapters/system/machineIdentity'
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

test('a data folder of the same path is the same player when its files are lost', async () => {
  const first = await readMachineIdentity(folder())
  await removeFolders(join(folder(), 'room'))
  const again = await readMachineIdentity(folder())
  // Only where the system has an id of its own; the secret is random each time.
  const hasSystemId = await stat('/etc/machine-id').then(
    ({ size }) => size > 1,
    () => false,
  )
  assert.is(again.machineId === first.machineId, hasSystemId)
  assert.not.equal(again.secret, first.secret)
})

test('the system’s own id is not in it', async () => {
  const { machineId } = await readMachineIdentity(folder())
  const systemId = await readFile('/etc/machine-id', 'utf8').catch(() => 'there is none')
  assert.not.ok(machineId.includes(systemId.trim().slice(0, 8)))
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
