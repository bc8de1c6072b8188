import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readMachineIdentity } from '#core/adapters/system/machineIdentity'
import { folderOfEachTest, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('the identity of a player')

const folder = folderOfEachTest(test, 'lantern-machine')

const rejects = async (work: Promise<unknown>) => {
  const outcome = await work.then(
    () => 'done',
    () => 'rejected',
  )
  assert.is(outcome, 'rejected')
}

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

test('programs that start for the first time at once agree', async () => {
  const identities = await Promise.all(Array.from({ length: 40 }, () => readMachineIdentity(folder())))
  for (const identity of identities) assert.equal(identity, identities[0])
  assert.equal((await readdir(join(folder(), 'room'))).sort(), ['host-secret', 'machine-id'])
})

test('its files are readable by this user only', async () => {
  if (process.platform === 'win32') return
  await readMachineIdentity(folder())
  for (const name of ['machine-id', 'host-secret']) {
    assert.is((await stat(join(folder(), 'room', name))).mode & 0o777, 0o600)
  }
})

test('files that a crash has left empty are created again', async () => {
  await mkdir(join(folder(), 'room'))
  for (const name of ['machine-id', 'host-secret']) await writeFile(join(folder(), 'room', name), '')
  const first = await readMachineIdentity(folder())
  assert.match(first.machineId, /^[0-9a-f]{32}$/)
  assert.is.not(first.machineId, 'e3b0c44298fc1c149afbf4c8996fb924')
  assert.equal(await readMachineIdentity(folder()), first)
})

test('an id that was written there by hand counts, in any form', async () => {
  await mkdir(join(folder(), 'room'))
  await writeFile(join(folder(), 'room', 'machine-id'), 'my-own-id\r\n')
  const { machineId } = await readMachineIdentity(folder())
  assert.match(machineId, /^[0-9a-f]{32}$/)
  await writeFile(join(folder(), 'room', 'machine-id'), `  ${'ab'.repeat(16)}\n`)
  assert.is((await readMachineIdentity(folder())).machineId, 'ab'.repeat(16))
})

test('a folder that cannot be created is an error', async () => {
  await writeFile(join(folder(), 'file'), '')
  await rejects(readMachineIdentity(join(folder(), 'file', 'data')))
})

test.skipUnless(process.getuid?.() !== 0, 'root may write everywhere')(
  'a folder that cannot be written is an error',
  async () => {
    await chmod(folder(), 0o500)
    await rejects(readMachineIdentity(folder()))
    await chmod(folder(), 0o700)
  },
)

test.run()
