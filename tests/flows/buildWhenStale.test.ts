import { appendFile, cp, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
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

test('a word builds the tests that it chooses with the new code of what they import, and no product', async () => {
  await writeTests()
  assert.equal(await runTests('one'), ['one says one'])
  assert.equal(await builtFiles(), ['tests/run.mjs', 'tests/unit/one.test.mjs'])
  await write(part, "export const word = 'two'\n")
  assert.equal(await runTests('one', '--jobs', 'named'), ['one says two'])
  assert.equal(await builtFiles(), ['tests/run.mjs', 'tests/unit/one.test.mjs'])
})

test('what a chosen test names is built with it: a program of the product and a worker', async () => {
  await writeTests()
  assert.equal(await runTests('named'), ['named says dist/local-runner/main.mjs support/someWorker'])
  const files = ['local-runner/main.mjs', 'tests/run.mjs', 'tests/support/someWorker.mjs']
  assert.equal(await builtFiles(), [...files, 'tests/unit/named.test.mjs'])
  await write(part, "export const word = 'two'\n")
  await runTests('named')
  assert.match(await readFile(join(folder, built), 'utf8'), '"two"')
})

test('a test whose source was deleted does not run again', async () => {
  await writeTests()
  await runTests('unit')
  await rm(join(folder, 'tests/unit/one.test.ts'))
  assert.equal(await runTests('unit'), ['named says dist/local-runner/main.mjs support/someWorker'])
})

/** Two tests, a worker that one of them names, and a runner that imports all built tests. */
async function writeTests(): Promise<void> {
  for (const path of ['tests/unit', 'tests/support']) await mkdir(join(folder, path), { recursive: true })
  await write(
    'tests/run.ts',
    "import { readdirSync } from 'node:fs'\n" +
      "const folder = new URL('./unit/', import.meta.url)\n" +
      'for (const name of readdirSync(folder).sort())\n' +
      "  if (name.endsWith('.test.mjs')) await import(new URL(name, folder).href)\n",
  )
  await write('tests/support/someWorker.ts', 'console.log(1)\n')
  await write(
    'tests/unit/one.test.ts',
    "import { word } from '../../local-runner/part'\nconsole.log('one says', word)\n",
  )
  await write(
    'tests/unit/named.test.ts',
    "console.log('named says', 'dist/local-runner/main.mjs', 'support/someWorker')\n",
  )
  await write('local-runner/installFfmpeg.ts', 'console.error(1)\n')
  await settle()
}

/** @returns the lines of the tests */
async function runTests(...args: readonly string[]): Promise<string[]> {
  const { exit, stdout, stderr } = await start(args, 'tests')
  assert.is(exit, 0, stderr)
  return stdout.split('\n').filter((line) => line.includes(' says '))
}

async function builtFiles(): Promise<string[]> {
  const paths = await readdir(join(folder, 'dist'), { recursive: true })
  const left = /stamps|installFfmpeg/
  return paths
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.mjs') && !left.test(path))
    .sort()
}

async function run(...args: readonly string[]): Promise<{ stdout: string; isBuilt: boolean }> {
  const { exit, stdout, stderr } = await start(args)
  assert.is(exit, 0, stderr)
  return { stdout, isBuilt: /^built \d+ files in /m.test(stderr) }
}

function start(args: readonly string[], program = 'main'): Promise<Ended> {
  const command = [process.execPath, join(folder, 'esbuild.mjs'), '--run', program]
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
