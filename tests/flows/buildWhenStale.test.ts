import { appendFile, cp, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Ended, runProgram } from '#support/process/commandLine'
import { projectRoot } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

// A project of three small files with this project's build file: what `node esbuild.mjs --run` builds, and when.

const test = suite('building what is stale', { timeoutMs: 60_000 })

let folder: string
const main = 'local-runner/main.ts'
const part = 'local-runner/part.ts'
const built = 'dist/local-runner/main.mjs'

test.before.each(async () => {
  folder = await makeTempFolder('stale')
  for (const name of ['esbuild.mjs', 'package.json', 'package-lock.json', 'tsconfig.json']) {
    await cp(join(projectRoot, name), join(folder, name))
  }
  await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'), 'junction')
  await mkdir(join(folder, 'local-runner'))
  await write(main, "import { word } from './part'\nconsole.log(word, ...process.argv.slice(2))\n")
  await write(part, "export const word = 'one'\n")
  await settle()
})
test.after.each(() => removeFolders(folder))

test('a fresh clone is built before the program runs, which gets its arguments', async () => {
  assert.equal(await run('--a', 'b', '--tests'), { stdout: 'one --a b --tests\n', isBuilt: true })
})

test('without the packages one sentence says what to do', async () => {
  await rm(join(folder, 'node_modules'))
  const { exit, stderr } = await start([])
  assert.equal([exit, stderr], [1, 'esbuild is not installed. Run `npm ci` first.\n'])
})

test('nothing is built when nothing has changed', async () => {
  await run()
  const before = await readFile(join(folder, built))
  assert.equal(await run(), { stdout: 'one\n', isBuilt: false })
  assert.equal(await readFile(join(folder, built)), before)
})

test('a changed source is built, also when its size and its date are the same', async () => {
  await run()
  await write(part, "export const word = 'two'\n")
  await utimes(join(folder, part), 1, 1)
  assert.equal(await run(), { stdout: 'two\n', isBuilt: true })
  await settle()
  await write(part, "export const word = 'six'\n")
  await utimes(join(folder, part), 1, 1)
  assert.equal(await run(), { stdout: 'six\n', isBuilt: true })
})

const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a touched source', () => utimes(join(folder, part), new Date(), new Date())],
  ['a changed build file', () => appendFile(join(folder, 'esbuild.mjs'), '\n')],
  ['a new program', () => write('local-runner/room.ts', 'console.log(1)\n')],
  ['a changed build', () => appendFile(join(folder, built), '\n')],
  ['a deleted dist folder', () => removeFolders(join(folder, 'dist'))],
]
for (const [name, change] of changes) {
  test(`${name} is a reason to build, once`, async () => {
    await run()
    await change()
    await settle()
    assert.is((await run()).isBuilt, true)
    assert.is((await run()).isBuilt, false)
  })
}

test('a source that may have changed while it was built is built again', async () => {
  const buildFile = join(folder, 'esbuild.mjs')
  const text = await readFile(buildFile, 'utf8')
  // Everything is as new as the build by this clock.
  await writeFile(buildFile, text.replace(/CLOCK_GRAIN_MS = \d+/, 'CLOCK_GRAIN_MS = 600_000'))
  assert.is((await run()).isBuilt, true)
  assert.is((await run()).isBuilt, true)
})

test('a source that cannot be built ends with exit code 1, and the old program does not run', async () => {
  await run()
  await write(part, 'export const word = (\n')
  const { exit, stdout, stderr } = await start([])
  assert.is(exit, 1)
  assert.is(stdout, '')
  assert.match(stderr, /local-runner\/part\.ts:\d/)
})

async function run(...args: readonly string[]): Promise<{ stdout: string; isBuilt: boolean }> {
  const { exit, stdout, stderr } = await start(args)
  assert.is(exit, 0, stderr)
  return { stdout, isBuilt: /^built \d+ files in /m.test(stderr) }
}

function start(args: readonly string[]): Promise<Ended> {
  const command = [process.execPath, join(folder, 'esbuild.mjs'), '--run', 'main']
  return runProgram(args, { command, cwd: folder })
}

function write(path: string, text: string): Promise<void> {
  return writeFile(join(folder, path), text)
}

/** What is as new as the build itself is built again at the next start. */
function settle(): Promise<void> {
  return sleep(100)
}

test.run()
