import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { zipSync } from 'fflate'
import { exiftool } from '#support/media/exiftool'
import { heicFile } from '#support/media/heicFile'
import { describePhoto, livePair } from '#support/media/livePair'
import { film, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { sideCar, writeFiles } from '#support/media/sampleExport'
import { runProgram, startProgram } from '#support/process/commandLine'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

// Exports whose names collide, of Apple, on a full disk, and runs that are killed.

const test = suite('motion-photo takeout, odd exports', { timeoutMs: 300_000 })
const media = await mediaFolderOfSuite()
const at = (...names: readonly string[]) => join(media.folder, ...names)
const YEAR = 'Takeout/Google Photos/Photos from 2020'

let plain: Uint8Array = new Uint8Array()
let video = ''

test.before(async () => {
  video = await media.make('video.mp4', film('320x240', 2, 'sound'))
  const photo = await media.make('plain.jpg', ['-f', 'lavfi', '-i', 'testsrc2=s=64x48', '-frames:v', '1'])
  plain = new Uint8Array(await readFile(photo))
})

/** A photo that differs from all others. */
const photoOf = (number: number, bytes = 0) =>
  new Uint8Array([...plain, ...new Uint8Array(bytes), number & 0xff, number >> 8])

async function digestsBelow(folder: string): Promise<Readonly<Record<string, string>>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  const digests = paths.map(async (path) => [
    relative(folder, path),
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
  ])
  return Object.fromEntries((await Promise.all(digests)).sort())
}

type Line = {
  readonly input: string
  readonly status: string
  readonly output?: string
  readonly reason?: string
}

async function linesOf(report: string): Promise<readonly Line[]> {
  const text = await readFile(report, 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('two files of one name that differ are both there, and stay what they are when it is done again', async () => {
  await mkdir(at('same'))
  const parts = [1, 2].map((number) => ({
    [`${YEAR}/a.jpg`]: photoOf(number),
    [`${YEAR}/a-2.jpg`]: photoOf(number + 10),
  }))
  for (const [i, part] of parts.entries())
    await writeFile(at('same', `takeout-20200902T000000Z-00${i + 1}.zip`), zipSync(part, { level: 0 }))
  const args = ['takeout', at('same'), '--out', at('same-out'), '--report', at('same.jsonl')]
  assert.is((await runProgram(args)).exit, 0)
  const first = await digestsBelow(at('same-out'))
  assert.equal(Object.keys(first).sort(), ['2020/a-2-2.jpg', '2020/a-2.jpg', '2020/a-3.jpg', '2020/a.jpg'])
  assert.is(new Set(Object.values(first)).size, 4)
  assert.is((await runProgram(args)).exit, 0)
  assert.equal(await digestsBelow(at('same-out')), first)
  const outputs = (await linesOf(at('same.jsonl'))).map(({ output = '' }) => output)
  assert.is(new Set(outputs).size, 4)
})

test('a download of iCloud: tables, albums, edited versions, and videos under other names', async () => {
  const { photo, movie } = await livePair(media, 'IMG_0001', video)
  const details = [
    'imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate',
    'IMG_0002.JPG,x,yes,no,no,"Saturday June 4,2022 12:11 PM GMT",1,"Saturday June 4,2022 12:11 PM GMT"',
    'IMG_0009.JPG,x,no,no,no,"Saturday June 4,2022 12:12 PM GMT",1,"Saturday June 4,2022 12:12 PM GMT"',
  ]
  const text = (lines: readonly string[]) => new TextEncoder().encode(lines.join('\r\n'))
  const part = 'iCloud Photos Part 1 of 1'
  await writeFiles(at('icloud'), [
    [`${part}/Photos/IMG_0001.JPG`, new Uint8Array(await readFile(photo))],
    [`${part}/Photos/IMG_0001_HEVC.MOV`, new Uint8Array(await readFile(movie))],
    [`${part}/Photos/IMG_0002.JPG`, photoOf(2)],
    [`${part}/Photos/IMG_E0002.JPG`, photoOf(3)],
    [`${part}/Photos/Photo Details.csv`, text(details)],
    [`${part}/Albums/At sea.csv`, text(['imgName', 'IMG_0002.JPG'])],
  ])
  const args = ['takeout', at('icloud'), '--out', at('icloud-out'), '--report', at('icloud.jsonl')]
  assert.is((await runProgram([...args, '--edited', 'originals'])).exit, 0)
  const made = Object.keys(await digestsBelow(at('icloud-out')))
  assert.equal(
    made.sort(),
    ['2024/IMG_0001_MP.jpg', 'At sea/IMG_0002.JPG'].map((path) =>
      path.replace('2024', made[0]?.slice(0, 4) ?? ''),
    ),
  )
  const tags = [
    '-s3',
    '-DateTimeOriginal',
    '-OffsetTimeOriginal',
    '-Rating',
    at('icloud-out/At sea/IMG_0002.JPG'),
  ]
  assert.is((await exiftool(...tags)).toString().trim(), '2022:06:04 12:11:00\n+00:00\n5')
  const states = (await linesOf(at('icloud.jsonl'))).map(({ input, status }) => [
    input.replace(`${part}/`, ''),
    status,
  ])
  assert.equal(Object.fromEntries(states), {
    'Albums/At sea.csv': 'metadata',
    'Photos/IMG_0001.JPG': 'made',
    'Photos/IMG_0001_HEVC.MOV': 'merged',
    'Photos/IMG_0002.JPG': 'copied',
    'Photos/IMG_E0002.JPG': 'left',
    'Photos/Photo Details.csv': 'metadata',
  })
})

test.skipUnless(...withEncoder('libx265'))(
  'a HEIC and its MOV become one HEIC, whose picture stays',
  async () => {
    const stream = await media.make('picture.hevc', [
      ...['-f', 'lavfi', '-i', 'testsrc2=size=64x48:d=0.04', '-frames:v', '1', '-c:v', 'libx265'],
      ...['-x265-params', 'log-level=none:keyint=1', '-pix_fmt', 'yuv420p', '-f', 'hevc'],
    ])
    const { movie } = await livePair(media, 'IMG_0003', video)
    const heic = await media.write(
      'IMG_0003.HEIC',
      heicFile({ streams: [await readFile(stream)], tile: { width: 64, height: 48 } }),
    )
    await describePhoto(heic)
    await writeFiles(at('heic'), [
      [`${YEAR}/IMG_0003.HEIC`, new Uint8Array(await readFile(heic))],
      [`${YEAR}/IMG_0003.MOV`, new Uint8Array(await readFile(movie))],
      [
        `${YEAR}/IMG_0003.HEIC.supplemental-metadata.json`,
        sideCar('IMG_0003.HEIC', { description: 'On a ship' }),
      ],
    ])
    const { exit, stderr } = await runProgram(['takeout', at('heic'), '--out', at('heic-out')])
    assert.is(exit, 0, stderr)
    assert.equal(Object.keys(await digestsBelow(at('heic-out'))), ['2020/IMG_0003_MP.HEIC'])
    const path = at('heic-out/2020/IMG_0003_MP.HEIC')
    const asked = ['-s3', '-n', '-Model', '-Description', '-DirectoryItemMime', '-ImageWidth', path]
    const tags = (await exiftool(...asked)).toString().trim().split('\n')
    assert.equal(tags, ['iPhone 15', 'On a ship', 'image/heic, video/mp4', '64'])
    const clip = await media.write('clip.mp4', await exiftool('-b', '-MotionPhotoVideo', path))
    assert.is((await exiftool('-s3', '-n', '-Duration', clip)).toString().trim(), '2')
  },
)

const BIG = 120
const BIG_BYTES = 200_000

async function bigExport(): Promise<string> {
  const folder = at('big')
  const files = Array.from({ length: BIG }, (_, i) => {
    const name = `IMG_${String(i).padStart(4, '0')}.jpg`
    return [
      [`${YEAR}/${name}`, photoOf(i, BIG_BYTES)],
      [`${YEAR}/${name}.json`, sideCar(name, { description: `number ${i}` })],
    ] as const
  })
  await writeFiles(folder, files.flat())
  return folder
}

test('a run that is killed at any moment goes on, and ends as one that was not', async () => {
  const folder = await bigExport()
  const whole = await runProgram(['takeout', folder, '--out', at('whole')])
  assert.is(whole.exit, 0, whole.stderr)
  let kills = 0
  for (let wait = 400; ; wait += Math.round(Math.random() * 600)) {
    const running = startProgram(['takeout', folder, '--out', at('killed')])
    const timer = setTimeout(() => running.child.kill('SIGKILL'), wait)
    const { exit } = await running.ended
    clearTimeout(timer)
    if (exit === 0) break
    kills += 1
  }
  assert.ok(kills > 0)
  assert.equal(await digestsBelow(at('killed')), await digestsBelow(at('whole')))
})

const canMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

test.skipUnless(canMount, 'no small file system can be mounted')(
  'a full disk ends the run with a line for each file, and with room it goes on',
  async () => {
    const folder = await bigExport()
    const disk = at('disk')
    await mkdir(disk)
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${(BIG / 2) * BIG_BYTES}`, 'tmpfs', disk])
    try {
      const args = ['takeout', folder, '--out', join(disk, 'out'), '--report', at('full.jsonl')]
      const { exit, stderr } = await runProgram(args)
      assert.is(exit, 3, stderr)
      const lines = (await linesOf(at('full.jsonl'))).filter(({ input }) => input.endsWith('.jpg'))
      assert.is(lines.length, BIG)
      const copied = lines.filter(({ status }) => status === 'copied')
      assert.ok(copied.length > BIG / 4, String(copied.length))
      assert.ok(lines.every(({ status, reason = '' }) => status === 'copied' || /space|full/i.test(reason)))
      // No half of a file is left.
      assert.is(Object.keys(await digestsBelow(join(disk, 'out'))).length, copied.length)
      spawnSync('mount', ['-o', `remount,size=${BIG * 2 * BIG_BYTES}`, disk])
      assert.is((await runProgram(args)).exit, 0)
      assert.is(Object.keys(await digestsBelow(join(disk, 'out'))).length, BIG)
    } finally {
      spawnSync('umount', [disk])
    }
  },
)

test('`lantern-room photo takeout` is the same', async () => {
  await writeFiles(at('one'), [[`${YEAR}/a.jpg`, photoOf(1)]])
  const command = [process.execPath, join(projectRoot, 'dist/local-runner/main.mjs'), 'photo']
  const { exit, stdout } = await runProgram(['takeout', at('one'), '--out', at('one-out')], { command })
  assert.equal([exit, stdout], [0, `${at('one-out/2020/a.jpg')}\n`])
  equalBytes(await readFile(at('one-out/2020/a.jpg')), photoOf(1))
})

test.run()
