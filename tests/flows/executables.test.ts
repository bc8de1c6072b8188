import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { findProgram } from '#support/process/findProgram'
import { projectRoot } from '#support/process/serverProcess'
import { inTempFolder } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const MAX_DOWNLOAD_BYTES = 35_000_000

const folder = join(projectRoot, 'dist/executables')
const suiteOf = suite('executables', { timeoutMs: 300_000 })
const media = await mediaFolderOfSuite()
const test = suiteOf.skipUnless(existsSync(join(folder, 'SHA256SUMS')), '`npm run dist` has not been run')

async function sums(from = folder): Promise<Map<string, string>> {
  const lines = (await readFile(join(from, 'SHA256SUMS'), 'utf8')).trim().split('\n')
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
}

test('every file has the sum that is told, and no download is larger than 35 MB', async () => {
  for (const [name, expected] of await sums()) {
    const bytes = await readFile(join(folder, name))
    assert.is(createHash('sha256').update(bytes).digest('hex'), expected, name)
    if (/\.(zip|tar\.xz)$/.test(name))
      assert.ok(bytes.length <= MAX_DOWNLOAD_BYTES, `${name}: ${bytes.length}`)
  }
})

test('the bill of materials and the licences name Node and the packages', async () => {
  const licences = await readFile(join(folder, 'LICENCES.txt'), 'utf8')
  const name = [...(await sums()).keys()].find((file) => file.endsWith('.cdx.json')) ?? ''
  const { components } = JSON.parse(await readFile(join(folder, name), 'utf8')) as {
    components: { name: string; version: string }[]
  }
  for (const wanted of ['node', 'hono', 'ws', '@bufbuild/protobuf']) {
    const found = components.find((component) => component.name === wanted)
    assert.ok(found, wanted)
    assert.match(licences, `${wanted} ${found.version} (`)
  }
  assert.not.match(licences, 'ships no licence text. It is published under undefined')
})

test('the archive for this system holds a program that runs', () =>
  unpacked('room', (run) => {
    assert.match(run('--version'), /^\d+\.\d+\.\d+\n$/)
    assert.match(run('--help'), 'room serve')
  }))

test('one program is both services, `motion-photo` as `photo`, and `room`', () =>
  unpacked('lantern-room', async (run, place) => {
    const version = run('--version')
    assert.equal([run('photo', '--version'), run('room', '--version')], [version, version])
    assert.match(run('room', 'help', 'join'), 'room join')
    run('photo', await media.make('a.mp4', film('320x180', 4)), '-o', join(place, 'a.jpg'))
    assert.ok(readMotionPhoto(await readFile(join(place, 'a.jpg')))?.clip)
  }))

/** Runs the program of the archive for this system, if there is one and it can be unpacked here. */
async function unpacked(
  program: string,
  work: (run: (...args: readonly string[]) => string, place: string) => Promise<void> | void,
): Promise<void> {
  const start = `${program}-`
  const archive = [...(await sums()).keys()].find(
    (name) => name.startsWith(start) && /^\d.*-linux-x64\.tar\.xz$/.test(name.slice(start.length)),
  )
  if (archive === undefined || process.arch !== 'x64' || findProgram('xz') === undefined) return
  await inTempFolder('executable 文件', async (place) => {
    execFileSync('tar', ['-xJf', join(folder, archive), '-C', place, '--strip-components=1'])
    await work(
      (...args) => execFileSync(join(place, program), args, { encoding: 'utf8', stdio: 'pipe' }),
      place,
    )
  })
}

test('the program for Windows bears its own name and version', async () => {
  if (!existsSync(join(folder, 'win-x64/room.exe'))) return
  const bytes = await readFile(join(folder, 'win-x64/room.exe'))
  const text = (words: string) => Buffer.from(words, 'utf16le')
  assert.ok(bytes.includes(text('Lantern Room: play in one world with friends')))
  assert.ok(bytes.includes(text('OriginalFilename\0')))
  assert.not.ok(bytes.includes(text('Node.js JavaScript Runtime')))
})

test('two builds give the same bytes', async () => {
  await inTempFolder('executables', async (again) => {
    const first = await sums()
    const targets = [...first.keys()].flatMap((name) => /^([^/]+)\/room(\.exe)?$/.exec(name)?.[1] ?? [])
    const args = ['--run', 'makeExecutables', 'room', ...targets, '--unpacked', '--out', again]
    execFileSync(process.execPath, ['esbuild.mjs', ...args], { cwd: projectRoot, stdio: 'pipe' })
    const second = await sums(again)
    assert.ok(targets.length > 0)
    for (const name of [...second.keys()].filter((file) => !file.endsWith('.cdx.json')))
      assert.is(
        second.get(name),
        first.get(name),
        `${name}; if it is of another commit, run npm run dist again`,
      )
  })
})

suiteOf.run()
