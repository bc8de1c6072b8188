import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { concatBytes } from '#core/bytes'
import { findProgram } from '#support/process/findProgram'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import type { ReleaseChoice } from '../../../../local-runner/executables/config'
import { makeRelease, type ReleaseSteps } from '../../../../local-runner/executables/release'
import { elf } from './sampleElf'

// Executables that run, of Node's own binaries: tests/flows/executables.alone.test.ts.

const test = suite('a release')
const withXz = test.skipUnless(findProgram('xz'), 'xz is not installed')

const DATE = new Date('2026-11-22T10:20:30Z')
const MODULE = Buffer.from('console.log("room")\n')

let root = ''
const path = (...names: string[]) => join(root, ...names)

test.before.each(async () => {
  root = await makeTempFolder('release-test')
  await mkdir(path('node_modules/ws'), { recursive: true })
  const described = { name: 'ws', version: '8.1.2', license: 'MIT' }
  await writeFile(path('node_modules/ws/package.json'), JSON.stringify(described))
  await writeFile(path('node_modules/ws/LICENSE'), 'licence of ws\n')
  await writeFile(path('LICENSE'), 'licence of the project\n')
  await writeFile(path('node'), elf(1000, 500))
})
test.after.each(() => removeFolders(root))

/** The Node that runs this prepares the program; the binary that takes it is a small one. */
const steps: ReleaseSteps = {
  bundlePrograms: async () => ({
    programs: { room: MODULE, 'lantern-room': MODULE },
    roomModule: MODULE,
    inputs: ['core/room/config.ts', 'node_modules/ws/index.js'],
  }),
  // The first one is for this machine, and runs.
  fetchNode: async (_, folder) => {
    const isFirst = !(await readdir(root)).includes('fetched')
    if (isFirst) await writeFile(path('fetched'), folder)
    return { path: isFirst ? process.execPath : path('node'), licenceText: 'licence of Node' }
  },
  npmBill: async () =>
    JSON.stringify({
      metadata: { timestamp: 'now', component: { name: 'folder' } },
      components: [
        { 'bom-ref': 'ws@8.1.2', name: 'ws', purl: 'pkg:npm/ws@8.1.2' },
        { 'bom-ref': 'esbuild@1.0.0', name: 'esbuild', purl: 'pkg:npm/esbuild@1.0.0' },
      ],
      dependencies: [],
    }),
  injectInto: async (binary, contents) => concatBytes([binary, contents]),
}

async function make(choice: Partial<ReleaseChoice> = {}, changes: Partial<ReleaseSteps> = {}) {
  const folder = path('out')
  const said: string[] = []
  await rm(path('fetched'), { force: true })
  await makeRelease(
    { programs: ['room'], targets: ['linux-x64'], isPacked: false, folder, ...choice },
    { root, version: '1.2.3', date: DATE, folder, say: (line) => said.push(line) },
    { ...steps, ...changes },
  )
  return said
}

const sumsOf = async () => (await readFile(path('out', 'SHA256SUMS'), 'utf8')).trimEnd().split('\n')

test('every file is there with its sum, after what was there before has gone', async () => {
  await mkdir(path('out'))
  await writeFile(path('out', 'of-an-earlier-release'), '')
  const said = await make()
  const sums = await sumsOf()
  assert.equal(sums.map((line) => line.slice(66)).sort(), [
    'LICENCES.txt',
    'lantern-room-1.2.3.cdx.json',
    'linux-x64/room',
    'room-1.2.3.mjs',
  ])
  for (const line of sums) {
    const bytes = await readFile(path('out', line.slice(66)))
    assert.is(line.slice(0, 64), createHash('sha256').update(bytes).digest('hex'))
  }
  assert.equal([sums, (await readdir(path('out'))).length], [[...sums].sort(), 5])
  assert.equal(
    said.map((line) => line.split(' ')[0]),
    ['linux-x64/room', 'room-1.2.3.mjs', 'LICENCES.txt', 'lantern-room-1.2.3.cdx.json'],
  )
})

test('an executable is the stripped binary with the prepared program inside, and may be run', async () => {
  await make()
  const executable = await readFile(path('out/linux-x64/room'))
  assert.is((await stat(path('out/linux-x64/room'))).mode & 0o777, 0o755)
  assert.is((await stat(path('out/room-1.2.3.mjs'))).mode & 0o777, 0o644)
  assert.is(executable.readUInt32BE(0), 0x7f454c46)
  const program = executable.subarray(1000)
  assert.ok(program.includes(MODULE))
  assert.not.ok(program.includes(root), 'no folder of this machine')
})

test('licences and bill of materials name Node and what is bundled', async () => {
  await make()
  const licences = await readFile(path('out/LICENCES.txt'), 'utf8')
  assert.match(licences, 'licence of Node')
  assert.match(licences, 'ws 8.1.2 (MIT)')
  const bill = JSON.parse(await readFile(path('out/lantern-room-1.2.3.cdx.json'), 'utf8'))
  assert.equal(
    bill.components.map(({ name }: { name: string }) => name),
    ['ws', 'node'],
  )
  assert.is(bill.metadata.timestamp, DATE.toISOString())
})

test('two releases of the same are equal', async () => {
  await make()
  const first = await sumsOf()
  await make()
  assert.equal(await sumsOf(), first)
})

withXz('packed, an executable comes with the licences in an archive', async () => {
  await make({ isPacked: true })
  const name = 'room-1.2.3-linux-x64'
  execFileSync('tar', ['-xJf', path(`out/${name}.tar.xz`), '-C', root])
  assert.equal((await readdir(path(name))).sort(), ['LICENCES.txt', 'LICENSE', 'room'])
  assert.equal(await readFile(path(name, 'room')), await readFile(path('out/linux-x64/room')))
  assert.is((await stat(path(name, 'room'))).mode & 0o111, 0o111)
  assert.is((await sumsOf()).length, 5)
})

test('a step that fails ends it without sums, and without temporary files', async () => {
  const before = process.env.TMPDIR
  process.env.TMPDIR = path('temporary')
  try {
    await mkdir(path('temporary'))
    const injectInto = () => Promise.reject(new Error('no postject'))
    const failure = await make({}, { injectInto }).catch(String)
    assert.is(failure, 'Error: no postject')
    await writeFile(path('node'), 'no program')
    assert.match(String(await make().catch(String)), 'no ELF program')
    assert.equal([await readdir(path('temporary')), await readdir(path('out')).catch(() => [])], [[], []])
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
})

test.run()
