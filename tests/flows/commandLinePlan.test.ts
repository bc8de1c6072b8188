import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { assembleMotionPhoto } from '@lantern-room/formats'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { program, type RunOptions, runProgram } from '#support/process/commandLine'
import { findProgram } from '#support/process/findProgram'
import { assert, suite } from '#support/runner/suite'
import { baselineJpeg } from '../unit/formats/motionPhoto/sampleJpeg'
import { sampleParts } from '../unit/formats/motionPhoto/sampleParts'

// What is there is kept: inputs are never outputs, in no command and under no name, and results are no more open than what they are of.

const test = suite('the files of people', { timeoutMs: 120_000 })

const onLinux = process.platform === 'linux'
const isRoot = process.getuid?.() === 0
const media = await mediaFolderOfSuite()
const photo = assembleMotionPhoto({ ...sampleParts, profile: 'universal' })
let clip: Uint8Array = new Uint8Array()

test.before(async () => {
  clip = await readFile(await media.make('clip.mp4', film('160x120', 1)))
})

let folder = ''
let number = 0
test.before.each(async () => {
  number += 1
  folder = media.path(`case${number}`)
  await mkdir(folder)
})

const path = (...names: readonly string[]) => join(folder, ...names)

async function put(name: string, bytes: Uint8Array): Promise<void> {
  await mkdir(join(path(name), '..'), { recursive: true })
  await writeFile(path(name), bytes)
}

/** Every plain file of the case with its bytes. */
async function snapshot(): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const name = join(entry.parentPath, entry.name)
    files.set(name, (await readFile(name)).toString('base64'))
  }
  return files
}

/** Runs it in the folder of the case; it must refuse, name these, and leave every file as it was. */
async function refuses(args: readonly string[], names: readonly string[], options: RunOptions = {}) {
  const before = await snapshot()
  const { exit, stderr } = await runProgram(args, { cwd: folder, ...options })
  assert.is(exit, 1, stderr)
  for (const name of names) assert.ok(stderr.includes(name), `${name} in ${stderr}`)
  assert.equal([...(await snapshot())], [...before], args.join(' '))
}

test('a photo of another video is not written over, whichever of the two is made first', async () => {
  await put('x.mp4', clip)
  await put('x_MP.jpg', photo)
  for (const force of [['--force'], []]) {
    await refuses(['--out', '.', 'x.mp4', 'x_MP.jpg', ...force], ['x.mp4', 'x_MP.jpg'])
    await refuses(['--out', join('..', basename(folder)), 'x_MP.jpg', 'x.mp4', ...force], ['x_MP.jpg'])
  }
})

test('the parts of a photo are not written over: pair and cover, by any name', async () => {
  await put('I.jpg', baselineJpeg)
  await put('I.mp4', clip)
  await put('c.jpg', baselineJpeg)
  await put('deep/none', new Uint8Array())
  await symlink(path('c.jpg'), path('soft.jpg'))
  await link(path('c.jpg'), path('hard.jpg'))
  await refuses(['I.jpg', 'I.mp4', '-o', 'I.jpg', '-f'], ['I.jpg'])
  for (const output of ['c.jpg', './deep/../c.jpg', path('c.jpg'), 'soft.jpg', 'hard.jpg'])
    await refuses(
      ['I.mp4', '--cover-file', 'c.jpg', '-o', output, '-f'],
      [output.replace(/^.*\//, ''), 'c.jpg'],
    )
  await put('n_MP.jpg', baselineJpeg)
  await put('n.mp4', clip)
  await refuses(['--out', '.', 'n.mp4', '--cover-file', 'n_MP.jpg', '-f'], ['n.mp4', 'n_MP.jpg'])
  await refuses(['--out', '.', 'I.mp4', 'n.mp4', '--report', 'I.mp4', '-f'], ['I.mp4'])
})

test('strip, extract and repair write over none of their files', async () => {
  await put('A/IMG.jpg', photo)
  await put('B/IMG.jpg', assembleMotionPhoto({ ...sampleParts, profile: 'google' }))
  await put('W/p/IMG.jpg', photo)
  await put('W/p/p/IMG.jpg', photo)
  await refuses(['strip', 'A/IMG.jpg', 'B/IMG.jpg', '--out', 'B', '-f'], ['A/IMG.jpg', 'B/IMG.jpg'].slice(1))
  const before = await readFile(path('W/p/IMG.jpg'))
  const deep = await runProgram(['strip', '-r', 'W/p', '--out', 'W', '-f'], { cwd: folder })
  assert.is(deep.exit, 1)
  assert.match(deep.stderr, /p\/p\/IMG\.jpg.*W\/p\/IMG\.jpg|W\/p\/IMG\.jpg/)
  assert.equal(await readFile(path('W/p/IMG.jpg')), before)
  await refuses(['strip', 'A/IMG.jpg', 'A/../A/IMG.jpg', '--out', 'A', '-f'], ['IMG.jpg'])
  await symlink(path('A/IMG.jpg'), path('l.jpg'))
  for (const command of [['extract', '--what', 'still'], ['repair']])
    await refuses([...command, 'l.jpg', '-o', 'A/IMG.jpg', '-f'], ['l.jpg', 'A/IMG.jpg'])
})

test('two files of one name in a folder to be: strip refuses the second, and names both', async () => {
  await put('A/IMG.jpg', photo)
  await put('B/img.JPG', photo)
  const { exit, stdout, stderr } = await runProgram(['strip', 'A', 'B', '--out', 'O', '-f'], { cwd: folder })
  assert.equal([exit, stdout], [1, `${path('O/IMG.jpg')}\n`])
  assert.ok(stderr.includes(path('A/IMG.jpg')) && stderr.includes(path('B/img.JPG')), stderr)
})

test.skipUnless(onLinux && isRoot, 'only the superuser of Linux makes devices')(
  'only plain files are ever replaced',
  async () => {
    await put('v.mp4', clip)
    await symlink('/dev/null', path('null.jpg'))
    await mkdir(path('folder.jpg'))
    for (const args of [
      ['mknod', path('device.jpg'), 'c', '1', '3'],
      ['mkfifo', path('pipe.jpg')],
    ])
      assert.is((await runProgram(args.slice(1), { command: args.slice(0, 1) })).exit, 0)
    for (const output of ['device.jpg', 'pipe.jpg', 'null.jpg', 'folder.jpg'])
      await refuses(['v.mp4', '-o', output, '-f'], [output])
    assert.ok((await stat('/dev/null')).isCharacterDevice())
    assert.ok((await stat(path('device.jpg'))).isCharacterDevice())
  },
)

test.skipUnless(onLinux, 'Windows has no such permissions')(
  'a result is no more open than what it is made of',
  async () => {
    await put('v.mp4', clip)
    await put('p.jpg', baselineJpeg)
    await put('m.jpg', photo)
    await chmod(path('v.mp4'), 0o600)
    await chmod(path('m.jpg'), 0o640)
    await chmod(path('p.jpg'), 0o644)
    const made = async (name: string, ...args: string[]) => {
      const { exit, stderr } = await runProgram(args, { cwd: folder })
      assert.is(exit, 0, stderr)
      return (await stat(path(name))).mode & 0o777
    }
    assert.is(await made('v_MP.jpg', 'v.mp4'), 0o600)
    assert.is(await made('pair.jpg', 'p.jpg', 'v.mp4', '-o', 'pair.jpg'), 0o600)
    assert.is(await made('live.zip', 'v.mp4', '--to', 'iphone', '-o', 'live.zip'), 0o600)
    assert.is(await made('live.pvt', 'v.mp4', '--to', 'iphone', '-o', 'live.pvt'), 0o700)
    assert.is(await made('O/v_MP.jpg', '--out', 'O', 'v.mp4'), 0o600)
    assert.is(await made('m_still.jpg', 'strip', 'm.jpg'), 0o640 & ~process.umask())
    assert.is(await made('m.mp4', 'extract', 'm.jpg'), 0o640 & ~process.umask())
    assert.is(await made('m_repaired_MP.jpg', 'repair', 'm.jpg'), 0o640 & ~process.umask())
  },
)

test('an empty file is nothing: what a killed run has left of a name is filled', async () => {
  await put('v.mp4', clip)
  for (const [name, ...args] of [
    ['v_MP.jpg', 'v.mp4'],
    ['O/v_MP.jpg', '--out', 'O', 'v.mp4'],
  ]) {
    await put(name ?? '', new Uint8Array())
    const { exit, stderr } = await runProgram(args, { cwd: folder })
    assert.is(exit, 0, stderr)
    assert.ok((await stat(path(name ?? ''))).size > 1000)
  }
  await put('m.jpg', photo)
  await put('S/m.jpg', new Uint8Array())
  const { stdout } = await runProgram(['strip', 'm.jpg', '--out', 'S'], { cwd: folder })
  assert.is(stdout, `${path('S/m.jpg')}\n`)
})

test.skipUnless(onLinux && findProgram('script'), 'script (util-linux) is not installed')(
  'no command sends control characters of a name to a terminal',
  async () => {
    const name = 'a\x1b[2J\u202e\x9bm.jpg'
    await put(name, photo)
    await put('v\x1b[3Jw.mp4', clip)
    await put('broken\x07.mp4', new Uint8Array())
    const typed = (args: readonly string[]) =>
      [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ')
    const runs = [
      ['inspect', name],
      ['inspect', '--json', name],
      ['strip', name, '--out', 'S'],
      ['strip', '--json', '.', '--out', 'T'],
      ['extract', name],
      ['repair', name],
      ['--out', 'O', 'v\x1b[3Jw.mp4', 'broken\x07.mp4', name],
      ['--out', 'P', '--json', '.'],
    ]
    for (const args of runs) {
      const { stdout } = await runProgram([], {
        cwd: folder,
        command: ['script', '-qec', typed(args), '/dev/null'],
      })
      assert.not.match(stdout, /[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]/, args.join(' '))
    }
  },
)

test.run()
