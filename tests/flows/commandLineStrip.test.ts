import { copyFile, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { assembleMotionPhoto } from '@lantern-room/formats'
import { MOTION_PHOTO_PROFILES } from '@lantern-room/formats/make'
import { exiftool } from '#support/media/exiftool'
import { mustRun } from '#support/media/media'
import { runProgram } from '#support/process/commandLine'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { heicOf } from '../unit/formats/motionPhoto/sampleHeic'
import { baselineJpeg } from '../unit/formats/motionPhoto/sampleJpeg'
import { sampleParts } from '../unit/formats/motionPhoto/sampleParts'
import { clip, description, gainMap, motion, phones } from '../unit/formats/motionPhoto/samplePhones'

// Motion photos of every family in a folder, stripped by the program and judged by exiftool and ffmpeg.

const test = suite('motion-photo strip', { timeoutMs: 120_000 })

const folder = await folderOfSuite('lantern-strip')
const path = (...names: readonly string[]) => join(folder, ...names)
const run = (...args: readonly string[]) => runProgram(['strip', ...args], { cwd: folder })

const photos = new Map<string, Uint8Array>([
  ...Object.values(phones).map((bytes, i) => [`phone${i}.jpg`, bytes] as const),
  ...MOTION_PHOTO_PROFILES.map(
    (profile) => [`${profile}.JPEG`, assembleMotionPhoto({ ...sampleParts, gainMap, profile })] as const,
  ),
  ['box.heic', heicOf({ xmp: description(motion), movie: clip, itemsIn: 'file' })],
])
const first = 'phone0.jpg'

test.before(async () => {
  await mkdir(path('photos', 'deep'), { recursive: true })
  for (const [name, bytes] of photos) await writeFile(path('photos', name), bytes)
  await writeFile(path('photos', 'deep', first), photos.get(first) ?? '')
  await writeFile(path('photos', '.hidden.jpg'), photos.get(first) ?? '')
  await writeFile(path('photos', 'still.jpg'), baselineJpeg)
  await writeFile(path('photos', 'video.mp4'), clip)
  await writeFile(path('photos', 'notes.txt'), 'none')
  await copyFile('tests/fixtures/media/live-photo-deflated.zip', path('photos', 'live.livp'))
  await symlink(path('photos'), path('photos', 'deep', 'around'))
  await utimes(path('photos', first), 1e9, 1e9)
})

type Line = { readonly file: string; readonly result: string } & Readonly<Record<string, unknown>>

async function decoded(file: string): Promise<string> {
  const args = ['-v', 'error', '-nostdin', '-i', file, '-frames:v', '1', '-f', 'md5', '-']
  return (await mustRun(process.env.FFMPEG_PATH || 'ffmpeg', args)).toString()
}

const LEFT =
  /motion|micro|embedded|samsung|trailer|oplus|vcamera|opcamera|hdrp|live|xiaomi|0x8897|warn|error/i

test('each family loses its video and all marks, and keeps its picture, gain map and time', async () => {
  const { exit, stdout, stderr } = await run('photos', '--recursive', '--out', 'out', '--json')
  assert.is(exit, 0, stderr)
  const lines: Line[] = JSON.parse(`[${stdout.trim().replaceAll('\n', ',')}]`)
  const filesOf = (wanted: string) =>
    lines.filter(({ result }) => result === wanted).map(({ file }) => relative(path('photos'), file))
  const stripped = [...photos.keys(), 'live.livp', join('deep', first)]
  assert.equal(filesOf('stripped').sort(), stripped.sort())
  assert.equal(filesOf('no-motion-photo'), ['notes.txt', 'still.jpg', 'video.mp4'])
  for (const name of photos.keys()) {
    const [file, still] = [path('photos', name), path('out', name)]
    const line = lines.find((one) => one.file === file)
    const [before, after] = [(await stat(file)).size, (await stat(still)).size]
    assert.equal([line?.output, line?.bytes, line?.bytes_saved], [still, after, before - after])
    // A gain map without an index gets one.
    assert.ok(before - after > clip.length / 2, `${name}: ${before - after} of ${clip.length}`)
    if (!name.endsWith('heic')) assert.is(await decoded(still), await decoded(file), name)
    const tags = (await exiftool('-a', '-G1', '-s', '-u', '-validate', still)).toString()
    assert.equal(
      tags.split('\n').filter((tag) => LEFT.test(tag.replace(/:.*|\[System\].*/, ''))),
      [],
      name,
    )
  }
  const tags = await exiftool(
    '-s3',
    '-DateTimeOriginal',
    '-DirectoryItemSemantic',
    '-MPImageLength',
    path('out', 'universal.JPEG'),
  )
  assert.is(tags.toString(), `2026:03:04 05:06:07\nPrimary, GainMap\n${gainMap.length}\n`)
  equalBytes(await exiftool('-b', '-MPImage2', path('out', 'universal.JPEG')), gainMap)
  const saved = lines.reduce((sum, { bytes_saved = 0 }) => sum + Number(bytes_saved), 0)
  assert.ok(
    stderr.includes(
      `${stripped.length} stripped, ${(saved / 1e3).toFixed(1)} kB saved; 0 there already, 3 no`,
    ),
  )
  assert.is((await stat(path('out', first))).mtimeMs, 1e12)
  equalBytes(await readFile(path('photos', first)), photos.get(first) ?? new Uint8Array())
})

test('inspect finds no motion photo in any of them, and extract takes out the same bytes', async () => {
  const stills = [...photos.keys()].map((name) => path('out', name))
  const { exit, stdout, stderr } = await runProgram(['inspect', ...stills])
  assert.equal([exit, stdout], [1, ''])
  assert.is(stderr.match(/is a photo without a video in it/g)?.length, stills.length, stderr)
  for (const [name, still] of [
    ['box.heic', 'box.heic'],
    ['live.livp', 'live.jpg'],
    ['huawei.JPEG', 'huawei.JPEG'],
  ] as const) {
    const extracted = await runProgram(['extract', '--what', 'still', path('photos', name)])
    equalBytes(await readFile(extracted.stdout.trim()), await readFile(path('out', still)), extracted.stderr)
  }
})

test('stills that are there stay, and something else of the name gets no other neighbour twice', async () => {
  await writeFile(path('out', first), 'mine')
  const again = await run('photos', '--out', 'out')
  assert.equal([again.exit, again.stdout], [0, `${path('out', 'phone0-2.jpg')}\n`])
  const third = await run('photos', '--out', 'out')
  assert.equal([third.exit, third.stdout], [0, ''])
  assert.match(
    third.stderr,
    /phone0\.jpg: what it gives is there already\n[\s\S]*0 stripped, 0\.0 kB saved; 17 there.*; 2 passed over: 1 hidden, 1 folders/,
  )
  assert.is(await readFile(path('out', first), 'utf8'), 'mine')
  const forced = await run(join('photos', first), '--out', 'out', '--force')
  assert.is(forced.stdout, `${path('out', first)}\n`)
  assert.match(forced.stderr, /^phone0\.jpg: phone0\.jpg, \d\.\d kB saved\n1 stripped/)
})

test('videos are taken out of a folder, too', async () => {
  const args = ['photos', '--recursive', '--what', 'clip', '--out', 'clips'] as const
  const { exit, stderr } = await run(...args)
  assert.is(exit, 0, stderr)
  assert.match(stderr, `${photos.size + 2} stripped; 0 there`)
  equalBytes(await readFile(path('clips', 'universal.mp4')), clip)
  const one = await runProgram(['extract', path('photos', 'live.livp')])
  equalBytes(await readFile(path('clips', 'live.mov')), await readFile(one.stdout.trim()), one.stderr)
  const beside = await run('photos/box.heic', '--what', 'clip')
  assert.is(beside.stdout, `${path('photos', 'box_clip.mp4')}\n`)
  const wrong = await run('photos', '--what', 'gif')
  assert.equal([wrong.exit, /still or clip/.test(wrong.stderr)], [2, true])
})

test('a bad file, a lost one and one that would take the place of another do not end the rest', async () => {
  await mkdir(path('bad', 'more'), { recursive: true })
  await writeFile(path('bad', 'a.jpg'), '')
  await writeFile(path('bad', 'c.JPG'), photos.get(first) ?? '')
  await writeFile(path('bad', 'more', 'c.JPG'), photos.get(first) ?? '')
  const names = await readdir(path('bad'))
  const { exit, stdout, stderr } = await run('lost.jpg', 'bad', 'bad/more', '--out', 'mixed')
  assert.equal([exit, stdout], [1, `${path('mixed', 'c.JPG')}\n`])
  assert.match(stderr, /lost\.jpg: There is no such file/)
  assert.match(stderr, /a\.jpg: The file is empty/)
  assert.match(stderr, /more.c\.JPG: It would become .*mixed.c\.JPG, as .*bad.c\.JPG does\.\n/)
  assert.equal(await readdir(path('bad')), names)
  assert.is((await run('bad/c.JPG')).stdout, `${path('bad', 'c_still.JPG')}\n`)
  const itself = await run('bad/c.JPG', '--out', 'bad', '--force')
  assert.is(itself.exit, 1)
  assert.match(itself.stderr, /never overwritten/)
  assert.match((await run('bad/c.JPG', '--out', 'bad/a.jpg')).stderr, /It is a file\. Name a folder/)
})

test.run()
