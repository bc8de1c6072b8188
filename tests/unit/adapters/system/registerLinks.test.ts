import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { desktopEntry, registerLinks, registryValues } from '#internal/adapters/system/registerLinks'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('links of the executables')
const folder = folderOfEachTest(test, 'links')
const onLinux = test.skipUnless(process.platform === 'linux', 'the desktop is a shell script')

onLinux('a desktop is told once where a program lies, and again after it was moved', async () => {
  await writeFile(join(folder(), 'xdg-mime'), `#!/bin/sh\necho "$@" >>"$XDG_DATA_HOME/told"\n`)
  await chmod(join(folder(), 'xdg-mime'), 0o755)
  const env = { XDG_DATA_HOME: folder(), PATH: `${folder()}:${process.env.PATH}` }
  const told = () => readFile(join(folder(), 'told'), 'utf8')
  await registerLinks('/opt/a b/room', { platform: 'linux', env })
  await registerLinks('/opt/a b/room', { platform: 'linux', env })
  assert.is(await told(), 'default lantern-room.desktop x-scheme-handler/lantern-room\n')
  await registerLinks('/opt/c/room', { platform: 'linux', env })
  assert.is((await told()).split('\n').length, 3)
  const entry = await readFile(join(folder(), 'applications', 'lantern-room.desktop'), 'utf8')
  assert.match(entry, '\nExec="/opt/c/room" open -- %u\n')
  await registerLinks('/opt/d/room', { platform: 'darwin', env })
  assert.is((await stat(join(folder(), 'applications', 'lantern-room.desktop'))).size, entry.length)
})

test('a path with signs of the shell is one word of the command', () => {
  assert.match(desktopEntry('/opt/$x "100%"/room'), 'Exec="/opt/\\\\$x \\\\"100%%\\\\"/room" open -- %u')
})

test('Windows gets the link as an argument behind which there is no option', () => {
  const program = 'C:\\Users\\A B\\room.exe'
  assert.equal(registryValues(program)[2]?.at(-1), `"${program}" open -- "%1"`)
  assert.ok(
    registryValues(program).every(([key]) => key?.startsWith('HKCU\\Software\\Classes\\lantern-room')),
  )
})

test.run()
