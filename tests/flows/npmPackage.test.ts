import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '#support/process/serverProcess'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

// What `npm pack` makes of the built programs, unpacked where there is nothing else.

const test = suite('the package for npm', { timeoutMs: 60_000 })
const run = promisify(execFile)
const folder = await folderOfSuite('lantern-npm')
const unpacked = join(folder, 'package')
const manifest: { readonly version: string; readonly bin: Readonly<Record<string, string>> } = JSON.parse(
  await readFile(join(projectRoot, 'package.json'), 'utf8'),
)

test.before(async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: projectRoot })
  const [{ filename }] = JSON.parse(stdout)
  await run('tar', ['-xf', join(folder, filename), '-C', folder])
})

test('it has three programs', () => {
  assert.equal(manifest.bin, {
    'lantern-room': 'dist/local-runner/main.mjs',
    'motion-photo': 'dist/local-runner/motionPhoto.mjs',
    room: 'dist/local-runner/room.mjs',
  })
})

for (const [name, path] of Object.entries(manifest.bin))
  test(`${name} runs by itself, and says nothing but its version`, async () => {
    const { stdout, stderr } = await run(process.execPath, [join(unpacked, path), '--version'])
    assert.match(stdout, manifest.version)
    assert.is(stderr, '')
  })

test.run()
