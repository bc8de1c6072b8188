import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { concatBytes } from '#core/bytes'
import { stripJpeg } from '#core/formats/jpeg/stripJpeg'
import { bytesSource } from '#core/formats/source/byteSource'
import { bytesOfParts } from '#core/formats/source/fileParts'
import { readNow } from '#core/formats/source/reading'
import { extractFile } from '#core/media/photos/extractFile'
import type { TrialRecord } from '#core/media/trial/trialRecord'
import { VARIANT_IDS } from '#core/media/trial/variants'
import { accessProblems, browserPath, WHY_NO_BROWSER } from '#support/browser/browser'
import { browserOfSuite, says } from '#support/browser/browserOfSuite'
import { slowFfmpeg } from '#support/hosts/jobs'
import { exiftool } from '#support/media/exiftool'
import { ffmpeg, film, mediaFolderOf, withEncoder } from '#support/media/media'
import { type Running, runProgram, startProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { until } from '#support/values/until'

// motion-photo trial: the photos by real ffmpeg, the page in a real browser of a phone's size.

const test = suite('motion-photo trial', { timeoutMs: 300_000 })
const inBrowser = test.skipUnless(browserPath, WHY_NO_BROWSER)
const { closing, open } = browserOfSuite(test)
const [hasHevc] = withEncoder('libx265')

const media = await mediaFolderOf(test)
let folder = ''
let trial: TrialRecord

const path = (name: string) => media.path(name)
const run = (...args: string[]) => runProgram(['trial', ...args], { cwd: media.folder })
const readTrial = async (): Promise<TrialRecord> =>
  JSON.parse(await readFile(join(folder, 'trial.json'), 'utf8'))
const fileOf = (id: string) => trial.variants.find((one) => one.id === id)?.file ?? ''

test.before(async () => {
  await media.make('video.mp4', [
    ...'-f lavfi -i testsrc2=size=320x240:rate=30:duration=5 -f lavfi -i sine=440:duration=5'.split(' '),
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
    ...['-metadata', 'creation_time=2024-05-06T07:08:09Z'],
  ])
  folder = path('video_trial')
  const { exit, stdout, stderr } = await run('video.mp4', '--no-serve', '--time-zone', '+02:00')
  assert.equal([exit, stdout], [0, `${folder}\n`], stderr)
  trial = await readTrial()
})

test('every photo is there with its hash, and what was left out is said', async () => {
  assert.equal([trial.baseline, trial.source.name], ['universal', 'video.mp4'])
  const leftOut = trial.left_out.map(({ id }) => id)
  assert.equal(leftOut, hasHevc ? ['silence'] : ['hevc', 'silence'])
  assert.equal(
    trial.variants.map(({ id }) => id),
    VARIANT_IDS.filter((id) => !leftOut.includes(id)),
  )
  for (const { file, bytes, sha256 } of trial.variants) {
    const content = await readFile(join(folder, file))
    assert.equal([content.length, createHash('sha256').update(content).digest('hex')], [bytes, sha256], file)
  }
  assert.match(fileOf('universal'), /^IMG_20240506_090800_MP\.jpg$/)
  assert.equal((await readdir(folder)).length, trial.variants.length + 1)
})

/** Still or clip of a photo, or of a ZIP with a Live Photo. */
async function partOf(file: string, what: 'still' | 'clip'): Promise<Uint8Array> {
  const bytes = await readFile(join(folder, file))
  const { parts } = readNow(extractFile({ size: bytes.length }, what), bytes)
  const pieces: Uint8Array[] = []
  for await (const piece of bytesOfParts(parts, bytesSource(bytes))) pieces.push(piece)
  return concatBytes(pieces)
}

/** A hash of each picture of a clip, as ffmpeg decodes it. Equal clips are decoded once. */
const decoded = new Map<string, Promise<string[]>>()
function picturesOf(clip: Uint8Array): Promise<string[]> {
  const hash = createHash('sha256').update(clip).digest('hex')
  const pictures = decoded.get(hash) ?? decode(clip)
  decoded.set(hash, pictures)
  return pictures
}

async function decode(clip: Uint8Array): Promise<string[]> {
  const printed = await ffmpeg(['-i', 'pipe:0', '-map', '0:v:0', '-f', 'framehash', '-'], clip)
  const lines = printed
    .toString()
    .split('\n')
    .filter((line) => /^\d/.test(line))
  return lines.map((line) => line.split(',').at(-1)?.trim() ?? '')
}

test('stills are equal, and the pictures of the clips where it is said', async () => {
  const still = stripJpeg(await partOf(fileOf('universal'), 'still'))?.bytes ?? new Uint8Array()
  const pictures = await picturesOf(await partOf(fileOf('universal'), 'clip'))
  assert.is(pictures.length, 90)
  for (const { id, file, same_frames } of trial.variants) {
    equalBytes(stripJpeg(await partOf(file, 'still'))?.bytes ?? new Uint8Array(), still)
    const own = await picturesOf(await partOf(file, 'clip'))
    assert.is(JSON.stringify(own) === JSON.stringify(pictures), same_frames, id)
    assert.is(own.length, id === 'longer' ? 150 : 90, id)
  }
})

test('other programs see what differs', async () => {
  const tags = [
    '-MotionPhotoPresentationTimestampUs',
    '-UserComment',
    '-DateTimeOriginal',
    '-EmbeddedVideoFile',
  ]
  const photos = ['universal', 'no-oppo-comment', 'timestamp-milliseconds'].map((id) =>
    join(folder, fileOf(id)),
  )
  const [universal, bare, milliseconds] = JSON.parse(
    (await exiftool('-j', '-n', ...tags, ...photos)).toString(),
  )
  assert.equal([universal.UserComment, universal.DateTimeOriginal], ['oplus_8388608', '2024:05:06 09:08:09'])
  assert.is(bare.UserComment, undefined)
  assert.is(universal.MotionPhotoPresentationTimestampUs, 1_500_000)
  assert.is(milliseconds.MotionPhotoPresentationTimestampUs, 1500)
})

test.skipUnless(...withEncoder('libx265'))(
  'the HEVC clip is one, with the sound and the length of the other',
  async () => {
    const { stdout } = await runProgram([
      'inspect',
      '--json',
      join(folder, fileOf('hevc')),
      join(folder, fileOf('universal')),
    ])
    const [hevc, avc] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).clip)
    assert.equal([hevc.codec, avc.codec], ['hvc1', 'avc1'])
    for (const name of ['frames', 'has_audio', 'width', 'height']) assert.is(hevc[name], avc[name], name)
    assert.ok(Math.abs(hevc.duration - avc.duration) < 0.02, `${hevc.duration} ${avc.duration}`)
  },
)

test('a second run writes nothing and needs no ffmpeg; a changed file is made again', async () => {
  const timesOf = async () =>
    Promise.all(trial.variants.map(async ({ file }) => (await stat(join(folder, file))).ctimeMs))
  const before = await timesOf()
  const again = await runProgram(['trial', 'video.mp4', '--no-serve', '--time-zone', '+02:00'], {
    cwd: media.folder,
    env: { FFMPEG_PATH: '/none' },
  })
  assert.is(again.exit, 0, again.stderr)
  assert.match(again.stderr, new RegExp(`0 photos written, ${trial.variants.length} there already`))
  assert.equal(await timesOf(), before)
  await writeFile(join(folder, fileOf('no-mpf')), 'damaged')
  const mended = await run('video.mp4', '--no-serve', '--time-zone', '+02:00')
  assert.match(mended.stderr, new RegExp(`1 photos? written, ${trial.variants.length - 1} there already`))
  assert.equal(await readTrial(), trial)
})

test('a folder with the trial of another file is refused, and stays', async () => {
  await copyFile(path('video.mp4'), path('other.mp4'))
  await writeFile(path('other.mp4'), 'x', { flag: 'a' })
  const other = await run('other.mp4', '--no-serve', '--out', folder)
  assert.is(other.exit, 1)
  assert.match(other.stderr, /holds the trial of another file, video\.mp4\. Name another folder with --out/)
  assert.equal(await readTrial(), trial)
  assert.match((await run('none.mp4')).stderr, /There is no such file/)
  assert.match((await run('--table', media.folder)).stderr, /There is no trial in this folder/)
})

test('a video without sound is tried with silence, one of two seconds not with a longer clip', async () => {
  await media.make('short.mp4', film('160x120', 2))
  const { exit, stderr } = await run('short.mp4', '--no-serve')
  assert.is(exit, 0, stderr)
  assert.match(
    stderr,
    /left out: no-sound\. The video has no sound\.\nleft out: longer\. The video is not longer/,
  )
})

type Served = { readonly running: Running; readonly url: string }

async function serve(...args: string[]): Promise<Served> {
  const running = startProgram(
    ['trial', 'video.mp4', '--time-zone', '+02:00', '--host', '127.0.0.1', ...args],
    { cwd: media.folder },
  )
  let printed = ''
  running.child.stdout.on('data', (chunk: string) => {
    printed += chunk
  })
  closing.push(async () => {
    running.child.kill('SIGKILL')
    await running.ended
  })
  const urlIn = () => /http:\S+(?=\s)/.exec(printed)?.[0]
  await until('it says its page, or ends', () => urlIn() !== undefined || running.child.exitCode !== null)
  const url = urlIn()
  if (url === undefined) throw new Error(`No page: ${(await running.ended).stderr}`)
  return { running, url }
}

inBrowser('a phone downloads each photo, and its verdicts are kept, shown and printed', async () => {
  const { running, url } = await serve()
  await running.says('Ctrl-C ends it.')
  const phone = {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    userAgent:
      'Mozilla/5.0 (Linux; Android 13; SM-S901B) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36',
  }
  const page = await open(url, phone)
  await page.locator('.variant').first().waitFor()
  assert.is(await page.locator('.variant').count(), trial.variants.length)
  assert.equal(await accessProblems(page), [])
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
  assert.ok(width <= 390, `${width} pixels wide`)

  for (const { id, file } of trial.variants.slice(0, 3)) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator(`#${id}`).getByRole('link').click(),
    ])
    assert.is(download.suggestedFilename(), file)
    assert.equal(await readFile(await download.path()), await readFile(join(folder, file)))
  }

  const model = page.getByLabel('Maker and model')
  assert.is(await model.inputValue(), 'SM-S901B')
  const noMpf = page.locator('#no-mpf')
  await noMpf.getByRole('button', { name: 'It plays' }).click()
  await says(page, 'First say which phone and which gallery this is.')
  await page.getByLabel('Gallery app and version').fill('Samsung Gallery 15')
  await page.getByLabel('Family of galleries').selectOption('samsung')
  await noMpf.getByRole('button', { name: 'It plays' }).click()
  await noMpf.getByText('Saved').waitFor()
  await noMpf.getByLabel('Sorted at the right time?').selectOption('right')
  const bare = page.locator('#no-samsung-trailer')
  await bare.getByText('Predicted: a still').waitFor()
  await bare.getByRole('button', { name: 'It plays' }).click()
  await bare.getByText('This is not what was predicted.').waitFor()
  await says(page, '2 tried in this gallery')

  await page.getByText('Open this page on a phone').click()
  await page.getByRole('img', { name: 'QR code of this page' }).waitFor()
  await page.getByRole('button', { name: '中文' }).click()
  await says(page, '此相册已测试 2 张')
  assert.equal(await accessProblems(page), [])
  await page.reload()
  await says(page, '此相册已测试 2 张')
  assert.equal(page.complaints, [])

  const stored = JSON.parse(await readFile(join(folder, 'verdicts.json'), 'utf8')).verdicts
  assert.equal(
    stored.map(({ variant, model, gallery, outcome, date }: Record<string, string>) => [
      variant,
      model,
      gallery,
      outcome,
      date,
    ]),
    [
      ['no-mpf', 'SM-S901B', 'Samsung Gallery 15', 'plays', 'right'],
      ['no-samsung-trailer', 'SM-S901B', 'Samsung Gallery 15', 'plays', 'unknown'],
    ],
  )
  const table = await run('--table', folder)
  assert.is(table.exit, 0)
  assert.match(
    table.stdout,
    /^\| SM-S901B \| Android 13 \| Samsung Gallery 15 \| `no-mpf` `no-samsung-trailer` \| – \| – \| – \| – \| `no-samsung-trailer` \| /m,
  )
})

test('Ctrl-C ends the page with 0, and nothing is left', async () => {
  const { running, url } = await serve()
  const { port, pathname } = new URL(url)
  assert.is((await fetch(url)).status, 200)
  assert.is((await fetch(url.replace(pathname, '/'))).status, 404)
  const before = (await readdir(folder)).sort()
  await running.says('█')
  running.child.kill('SIGINT')
  const { exit, stdout, stderr } = await running.ended
  assert.equal([exit, stdout], [0, `${folder}\n${url}\n`], stderr)
  assert.match(stderr, /Stopped\. The verdicts are kept in the folder\.\n$/)
  assert.equal((await readdir(folder)).sort(), before)
  const taken = await fetch(`http://127.0.0.1:${port}/`).then(
    () => 'answers',
    () => 'closed',
  )
  assert.is(taken, 'closed')
})

test('Ctrl-C while the photos are made leaves nothing', async () => {
  const temporary = path('tmp')
  await mkdir(temporary)
  const env = { TMPDIR: temporary, FFMPEG_PATH: await slowFfmpeg(media) }
  const running = startProgram(['trial', 'video.mp4', '--out', path('stopped')], { cwd: media.folder, env })
  await until('it works', async () => (await readdir(temporary)).length > 0)
  running.child.kill('SIGINT')
  const { exit, stderr } = await running.ended
  assert.is(exit, 130, stderr)
  assert.match(
    stderr,
    /Stopped\. The photos in the folder are whole; the same command goes on with the rest\./,
  )
  assert.equal(await readdir(temporary), [])
  assert.not.ok((await readdir(media.folder)).includes('stopped'))
})

inBrowser('a browser that tells model and system by client hints is asked for them', async () => {
  const { url } = await serve('-q')
  const page = await open(url, { userAgent: 'Mozilla/5.0 (Linux; Android 10; K) Chrome/126.0 Mobile' })
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setUserAgentOverride', {
    userAgent: 'Mozilla/5.0 (Linux; Android 10; K) Chrome/126.0 Mobile',
    userAgentMetadata: {
      platform: 'Android',
      platformVersion: '15.0.0',
      architecture: '',
      model: 'Pixel 8',
      mobile: true,
    },
  })
  await page.reload()
  await page.locator('.variant').first().waitFor()
  assert.is(await page.getByLabel('Maker and model').inputValue(), 'Pixel 8')
  assert.is(await page.getByLabel('System and version').inputValue(), 'Android 15')
})

test('a port that is taken is told, and so are damaged verdicts', async () => {
  const { url } = await serve('-q')
  const { port } = new URL(url)
  const second = await run('video.mp4', '--time-zone', '+02:00', '--host', '127.0.0.1', '--port', port)
  assert.is(second.exit, 3)
  assert.match(second.stderr, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use.*--port`))
  const file = join(folder, 'verdicts.json')
  const kept = await readFile(file).catch(() => undefined)
  await writeFile(file, '{')
  const damaged = await run('video.mp4', '--time-zone', '+02:00', '--host', '127.0.0.1')
  assert.match(damaged.stderr, /verdicts\.json in the folder cannot be read/)
  if (kept) await writeFile(file, kept)
})
