import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { zipSync } from 'fflate'
import { exiftool } from '#support/media/exiftool'
import { mediaFolderOfSuite } from '#support/media/media'
import {
  ALBUM,
  type Files,
  RESULT,
  sampleExport,
  TAKEN,
  writeBadExport,
  writeFiles,
  YEAR,
} from '#support/media/sampleExport'
import { runProgram, startProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

// An export as Google and Apple write them, of real motion photos and Live Photos, judged by exiftool.

const test = suite('motion-photo takeout', { timeoutMs: 120_000 })

const media = await mediaFolderOfSuite()
const at = (...names: readonly string[]) => join(media.folder, ...names)
/** The whole export. */
let files: Files = new Map()

test.before(async () => {
  files = await sampleExport(media)
  await writeFiles(at('all'), files)
})

type Line = {
  readonly input: string
  readonly status: string
  readonly output?: string
  readonly reason?: string
}

async function takeout(out: string, ...args: readonly string[]) {
  const report = at(`${out}.jsonl`)
  const ended = await runProgram(['takeout', ...args, '--out', at(out), '--report', report])
  const text = await readFile(report, 'utf8')
  const lines =
    text.trim() === ''
      ? []
      : text
          .trim()
          .split('\n')
          .map((line): Line => JSON.parse(line))
  return { ...ended, lines, of: (input: string) => lines.find((line) => line.input === input) }
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((one) => !one.isDirectory())
    .map((one) => relative(folder, join(one.parentPath, one.name)))
    .sort()
}

test('an export in a folder becomes whole photos, each once, and every file has a line', async () => {
  const { exit, stderr, stdout, lines, of } = await takeout('out', at('all'))
  assert.is(exit, 0, stderr)
  assert.equal(await filesBelow(at('out')), RESULT)
  assert.equal(
    stdout
      .trim()
      .split('\n')
      .map((path) => relative(at('out'), path))
      .sort(),
    RESULT,
  )
  assert.equal(lines.map(({ input }) => input).sort(), [...files.keys()].sort())
  const status = (path: string) => of(path)?.status
  assert.equal(
    ['IMG_0001.JPG', 'IMG_0001.MP4', 'PXL_2.MP.jpg', 'PXL_2.MP', 'film.mp4', 'gone.jpg.json'].map((name) =>
      status(`${YEAR}/${name}`),
    ),
    ['made', 'merged', 'copied', 'merged', 'copied', 'left'],
  )
  assert.is(status(`${ALBUM}/plain.jpg`), 'duplicate')
  assert.is(of(`${YEAR}/gone.jpg.json`)?.reason, 'its photo is not in the export')
  assert.match(stderr, /photos {13}1 {9}3 {9}0 {9}1/)
})

test('what the side-cars say is in photos that say nothing, and is their time', async () => {
  const asked = [
    '-DateTimeOriginal',
    '-OffsetTimeOriginal',
    '-GPSLatitude',
    '-Description',
    '-Rating',
    '-PersonInImage',
    '-Make',
    '-MotionPhoto',
    '-Warning',
  ]
  const tags = async (name: string) => {
    const [{ SourceFile, ...found }] = JSON.parse(
      (await exiftool('-j', '-n', ...asked, at('out', name))).toString(),
    )
    return found
  }
  assert.equal(await tags('Sea_ 2020/plain(1).jpg'), {
    DateTimeOriginal: '2020:09:02 22:33:52',
    OffsetTimeOriginal: '+02:00',
    GPSLatitude: 52.52,
    Description: 'At the sea',
    Rating: 5,
    PersonInImage: 'Ada',
  })
  const { DateTimeOriginal, ...live } = await tags('2020/IMG_0001_MP.jpg')
  assert.equal(
    [live.Rating, live.GPSLatitude, live.Make, live.MotionPhoto, live.Warning],
    [4, 48.1372, 'Apple', 1, undefined],
  )
  assert.is((await stat(at('out', '2020/film.mp4'))).mtimeMs > 0, true)
  assert.is((await stat(at('out', 'Sea_ 2020/plain(1).jpg'))).mtimeMs, TAKEN * 1000)
  // The motion photo has a date of its own, and stays as it is.
  const kept = await readFile(at('out', '2020/PXL_2.MP.jpg'))
  equalBytes(kept, files.get(`${YEAR}/PXL_2.MP.jpg`) ?? new Uint8Array())
})

test('the parts of a split export in any order give the same, and a missing one is named', async () => {
  await mkdir(at('parts'))
  const part = (number: number) => Object.fromEntries([...files].filter((_, i) => i % 3 === number))
  await writeFile(at('parts/takeout-20200902T000000Z-002.zip'), zipSync(part(0), { level: 0 }))
  await writeFile(at('parts/takeout-20200902T000000Z-001.zip'), zipSync(part(1), { level: 6 }))
  const third = at('third')
  await writeFiles(third, Object.entries(part(2)))
  execFileSync('tar', ['-czf', at('parts/takeout-20200902T000000Z-003.tgz'), '-C', third, 'Takeout'])
  const { exit, lines, of, stderr } = await takeout('split', at('parts'))
  assert.equal(await filesBelow(at('split')), RESULT)
  assert.is(exit, 0, stderr)
  assert.equal(lines.map(({ input }) => input).sort(), [...files.keys()].sort())
  for (const name of RESULT)
    equalBytes(await readFile(at('split', name)), await readFile(at('out', name)), name)
  assert.is(of(`${YEAR}/PXL_2.MP`)?.status, 'merged')
  const missing = await takeout(
    'missing',
    ...['001.zip', '003.tgz'].map((end) => at(`parts/takeout-20200902T000000Z-${end}`)),
  )
  assert.is(missing.exit, 1)
  assert.is(missing.of('takeout-20200902T000000Z-002.zip')?.status, 'refused')
})

test('the same command changes nothing, also after a kill, and a dry run says the same', async () => {
  const dry = await takeout('dry', at('all'), '--dry-run')
  const done = await takeout('out', at('all'))
  assert.equal(await filesBelow(at('out')), RESULT)
  const plain = (lines: readonly Line[], out: string) =>
    lines.map((line) => ({ ...line, output: line.output && relative(at(out), line.output) }))
  assert.equal(plain(dry.lines, 'dry'), plain(done.lines, 'out'))
  assert.equal(await filesBelow(at('dry')).catch(() => []), [])
  for (const delay of [200, 350, 500]) {
    const running = startProgram(['takeout', at('all'), '--out', at('killed')])
    setTimeout(() => running.child.kill('SIGKILL'), delay)
    await running.ended
  }
  await takeout('killed', at('all'))
  assert.equal(await filesBelow(at('killed')), RESULT)
  for (const [path, content] of files) equalBytes(await readFile(at('all', path)), content, path)
})

test('pairs stay pairs, albums become links or keywords, and editions are chosen', async () => {
  const pairs = await takeout(
    'pairs',
    at('all'),
    '--to',
    'pairs',
    '--albums',
    'links',
    '--edited',
    'originals',
  )
  assert.equal(await filesBelow(at('pairs')), [
    '2020/IMG_0001.JPG',
    '2020/IMG_0001.MP4',
    '2020/PXL_2.MP.jpg',
    '2020/film.mp4',
    '2020/plain(1).jpg',
    'Albums/Sea_ 2020/plain(1).jpg',
  ])
  assert.is(pairs.of(`${YEAR}/plain-bearbeitet(1).jpg`)?.status, 'left')
  await takeout('keywords', at('all'), '--albums', 'keywords')
  const subject = await exiftool('-s3', '-Subject', at('keywords/2020/plain(1).jpg'))
  assert.is(subject.toString().trim(), 'Sea: 2020')
})

test('what is wrong has one line each, and the rest is done', async () => {
  const folder = at('bad')
  await writeBadExport(folder, files.get(`${YEAR}/plain(1).jpg`) ?? new Uint8Array())
  await symlink('/nowhere', join(folder, 'link.jpg'))
  const { exit, lines, of } = await takeout('bad-out', folder)
  assert.is(exit, 1)
  const refused = lines
    .filter(({ status }) => status === 'refused')
    .map(({ input }) => input)
    .sort()
  assert.equal(
    refused,
    [
      '../../out.jpg',
      '../../out.jpg',
      'b.jpg.json',
      'bomb.jpg',
      'cut.zip',
      'empty.jpg',
      'locked.jpg',
      'Photos from 2020/a.jpg',
    ].sort(),
  )
  assert.is(of('c.jpg.json')?.reason, 'Not taken: its time cannot be.')
  assert.is(
    lines.find(({ input, status }) => input === 'Photos from 2020/a.jpg' && status !== 'refused')?.status,
    'copied',
  )
  assert.equal(
    (await readdir(at())).filter((name) => name === 'out.jpg'),
    [],
  )
})

test.run()
