import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openersOf, openInBrowser } from '#internal/adapters/system/openInBrowser'
import { inTempFolder } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const test = suite('opening the browser')
const onPosix = test.skipUnless(process.platform !== 'win32', 'the browser is a shell script')

const URL = "http://127.0.0.1:5062/#token=a'b$(touch x)&c"
const DESKTOP = { DISPLAY: ':0' }

test('each system has its opener, which gets the address as one argument', () => {
  for (const [platform, env, programs] of [
    ['linux', DESKTOP, ['xdg-open', 'wslview']],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open', 'wslview']],
    ['freebsd', { BROWSER: 'firefox' }, ['xdg-open', 'wslview']],
    ['linux', { DISPLAY: '' }, []],
    ['darwin', {}, ['/usr/bin/open']],
    ['win32', { SystemRoot: 'D:\\Win' }, ['D:\\Win\\System32\\rundll32.exe']],
    ['win32', {}, ['C:\\Windows\\System32\\rundll32.exe']],
  ] as const) {
    const openers = openersOf(URL, { platform, env })
    assert.equal(
      openers.map(({ command }) => command),
      programs,
      platform,
    )
    for (const { args } of openers) assert.is(args.at(-1), URL)
  }
})

onPosix('the first opener that takes the address is enough, and no shell reads it', async () => {
  await inTempFolder('opener', async (folder) => {
    const program = async (name: string, exit: number) => {
      const path = join(folder, name)
      await writeFile(path, `#!/bin/sh\nprintf '%s\\n' "${name} $#" "$1" >>"$TAKEN"\nexit ${exit}\n`)
      await chmod(path, 0o755)
    }
    const env = { ...DESKTOP, PATH: folder, TAKEN: join(folder, 'taken') }
    const open = () => openInBrowser(URL, { platform: 'linux', env })
    assert.is(await open(), false, 'none is there')
    await program('xdg-open', 3)
    assert.is(await open(), false, 'it found no browser')
    await program('wslview', 0)
    assert.is(await open(), true)
    await program('xdg-open', 0)
    assert.is(await open(), true)
    const asked = ['xdg-open', 'xdg-open', 'wslview', 'xdg-open']
    const expected = asked.map((name) => `${name} 1\n${URL}\n`).join('')
    assert.is(await readFile(env.TAKEN, 'utf8'), expected)
  })
})

test.run()
