import { mkdir, readdir, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { concatBytes } from '@lantern-room/base/bytes'
import { zipPieces } from '@lantern-room/formats/files'
import sharp from 'sharp'
import { exiftool } from '#support/media/exiftool'
import { mediaFolderOfSuite, mustRun } from '#support/media/media'
import { mustRunProgram, runProgram } from '#support/process/commandLine'
import { findProgram } from '#support/process/findProgram'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { appleReadersMissing, readLivePair } from './appleReaders'

// Live Photos before programs that know nothing of this one: exiftool, makelive, PyAV, ffmpeg, unzip, sharp.

const test = suite('Live Photos', { timeoutMs: 240_000 })

const noReaders = await appleReadersMissing()
const media = await mediaFolderOfSuite()
let video = ''

test.before(async () => {
  video = await media.make('video.mp4', [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30:duration=3'],
    ...['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=3'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '2', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
    ...['-metadata', 'creation_time=2024-05-06T07:08:09Z', '-metadata', 'location=+48.1372+011.5755/'],
  ])
})

async function tags(...args: string[]): Promise<string> {
  return (await exiftool(...args)).toString()
}

/** The sum of the pictures or the sound of a file, decoded. */
async function decoded(file: string, stream: string): Promise<string> {
  const args = ['-v', 'error', '-xerror', '-nostdin', '-i', file, '-map', stream, '-f', 'md5', '-']
  return (await mustRun(process.env.FFMPEG_PATH || 'ffmpeg', args)).toString()
}

const noon = { year: 2026, month: 3, day: 4, hour: 12, minute: 0, second: 0 }

/** A bundle of a Live Photo. @returns the paths of photo and movie */
async function bundle(name: string, ...options: string[]): Promise<{ still: string; movie: string }> {
  const path = media.path(`${name}.pvt`)
  const env = { TZ: 'Europe/Berlin' }
  const { stdout } = await mustRunProgram([video, '--profile', 'apple', '-qo', path, ...options], { env })
  assert.is(stdout, `${path}\n`)
  assert.equal((await readdir(path)).sort(), [`${name}.JPG`, `${name}.MOV`, 'metadata.plist'].sort())
  return { still: join(path, `${name}.JPG`), movie: join(path, `${name}.MOV`) }
}

let made: ReturnType<typeof bundle> | undefined
/** The one that two tests look at. */
function cat() {
  made ??= bundle('cat', '--start', '0.5', '--end', '2.5', '--cover', '2')
  return made
}

test('exiftool finds one identifier in both, the moment of the still, and nothing wrong', async () => {
  const { still, movie } = await cat()
  const id = (await tags('-s3', '-Apple:ContentIdentifier', still)).trim()
  assert.match(id, /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/)
  assert.is((await tags('-s3', '-Keys:ContentIdentifier', movie)).trim(), id)
  for (const file of [still, movie])
    assert.is((await tags('-validate', '-warning', '-error', '-a', '-s2', file)).trim(), 'Validate: OK')
  const mark = await tags('-ee', '-n', '-s', '-StillImageTime', '-SampleTime', movie)
  assert.match(mark, /^StillImageTime +: -1$/m)
  assert.match(mark, /^SampleTime +: 0$/m)
  assert.is((await tags('-s3', '-FileType', movie)).trim(), 'MOV')
  assert.is((await tags('-s3', '-ContentDescribes', movie)).trim(), 'Track 1')
})

test.skipUnless(!noReaders, noReaders ?? '')(
  'makelive takes both for a pair, and no other ones; PyAV reads the moment of the still',
  async () => {
    const { still, movie } = await cat()
    const read = await readLivePair(still, movie)
    assert.is(read.pair, (await tags('-s3', '-Keys:ContentIdentifier', movie)).trim())
    assert.equal(read.tracks, ['avc1', 'mp4a', 'data'])
    assert.equal(read.data, [[[1.5, '0000000900000001ff']]])
    const other = await bundle('other')
    assert.is((await readLivePair(other.still, movie)).pair, false)
    assert.is((await readLivePair(await media.write('plain.jpg', await plain()), movie)).pair, false)
  },
)

test.skipUnless(!noReaders, noReaders ?? '')(
  'a wallpaper has a record for each picture, a mark with a transform, and a still of the same pixels',
  async () => {
    const picture = await media.write('tall.jpg', await plain(300, 400))
    const options = ['--wallpaper', '--rotate', '90', '--cover-file', picture, '--cover', '0.5']
    const { still, movie } = await bundle('wallpaper', ...options)
    const { width, height } = await sharp(still, { failOn: 'warning' }).metadata()
    assert.equal([width, height], [180, 320], 'as the turned video is shown')
    const read = await readLivePair(still, movie)
    assert.match(String(read.pair), /^[0-9A-F-]{36}$/)
    const [records = [], marks = []] = read.data
    assert.equal(
      records.map(([seconds]) => Math.round(seconds * 30)),
      Array.from({ length: 60 }, (_, frame) => frame),
    )
    assert.equal([new Set(records.map(([, bytes]) => bytes)).size, marks.length], [1, 1])
    assert.is(marks[0]?.[0], 0.5)
    const names = [
      'Auto',
      'VitalityScore',
      'VitalityScoringVersion',
      'StillImageTransformReferenceDimensions',
    ]
    const wanted = names.map((name) => `-LivePhoto${name}`)
    assert.is(await tags('-ee', '-n', '-s3', ...wanted, movie), '1\n1\n4\n320 180\n')
    for (const file of [still, movie])
      assert.is((await tags('-validate', '-warning', '-error', '-a', '-s2', file)).trim(), 'Validate: OK')
    const inspected = await runProgram(['inspect', media.path('wallpaper.pvt')])
    assert.match(inspected.stdout, /apple {4}yes$/m)
  },
)

test('time and place are in both', async () => {
  const { still, movie } = await bundle('placed', '--metadata', 'all')
  const names = ['-DateTimeOriginal', '-OffsetTimeOriginal', '-GPSLatitude', '-GPSLongitude']
  assert.is(await tags('-n', '-s3', ...names, still), '2024:05:06 09:08:10\n+02:00\n48.1372\n11.5755\n')
  assert.is(
    await tags('-s3', '-Keys:CreationDate', '-QuickTime:CreateDate', movie),
    '2024:05:06 09:08:10+02:00\n2024:05:06 07:08:10\n',
  )
  assert.is(await tags('-n', '-s3', '-Keys:GPSCoordinates', movie), '48.1372 11.5755\n')
  assert.is((await stat(movie)).mtime.toISOString(), '2024-05-06T07:08:10.500Z')
})

test('the movie decodes to the pictures and the sound of the motion photo', async () => {
  const { movie } = await bundle('same', '--quality', 'preview')
  const output = media.path('same_MP.jpg')
  assert.is((await runProgram([video, '-qo', output, '--quality', 'preview'])).exit, 0)
  const photo = await readFile(output)
  const at = photo.indexOf('ftypmp42', 0, 'latin1') - 4
  const cut = await media.write('cut.mp4', photo.subarray(at))
  for (const stream of ['0:v', '0:a'])
    assert.is(await decoded(movie, stream), await decoded(cut, stream), stream)
})

test('a motion photo becomes a Live Photo, and a Live Photo a motion photo, with their time', async () => {
  const photo = media.path('source_MP.jpg')
  assert.is((await runProgram([video, '-qo', photo, '--time-zone', 'Asia/Tokyo'])).exit, 0)
  const live = media.path('turned.zip')
  await mustRunProgram([photo, '--profile', 'apple', '-qo', live])
  const back = media.path('back_MP.jpg')
  const again = await mustRunProgram([live, '-qo', back, '--json'])
  const { taken_at, clip_quality } = JSON.parse(again.stdout)
  assert.equal([taken_at, clip_quality], ['2024-05-06T16:08:10+09:00', 'source'])
  assert.is((await tags('-s3', '-MotionPhoto', back)).trim(), '1')
})

test('a bundle is inspected, taken apart, mended, and a source of a motion photo', async () => {
  const { still, movie } = await bundle('whole')
  const { stdout: verdict } = await runProgram(['inspect', media.path('whole.pvt')])
  assert.match(verdict, /whole\.pvt: live-photo, video avc1[\s\S]*apple {4}yes$/m)
  const taken = await runProgram(['extract', media.path('whole.pvt')])
  assert.is(taken.stdout, `${media.path('whole.mov')}\n`, taken.stderr)
  equalBytes(await readFile(media.path('whole.mov')), await readFile(movie))
  const picture = await runProgram(['extract', media.path('whole.pvt'), '--what', 'still'])
  equalBytes(await readFile(picture.stdout.trim()), await readFile(still))
  await mustRunProgram([media.path('whole.pvt'), '-qo', media.path('of whole_MP.jpg')])

  // What a copy by another program leaves: a photo and a video of different names, without what joins them.
  await exiftool('-overwrite_original', '-MakerNotes:all=', still)
  await rename(movie, join(media.path('whole.pvt'), 'VIDEO.mov'))
  const before = await runProgram(['inspect', media.path('whole.pvt')])
  assert.match(before.stdout, /apple {4}no\n[\s\S]*MakerNote has no content identifier[\s\S]*different names/)
  const files = await readdir(media.path('whole.pvt'))
  const mended = await runProgram(['repair', media.path('whole.pvt')])
  assert.equal([mended.exit, mended.stdout], [0, `${media.path('whole_repaired.pvt')}\n`], mended.stderr)
  assert.match(mended.stderr, /recognised by apple; before: no gallery/)
  assert.equal(await readdir(media.path('whole.pvt')), files)
  const [image, video_] = ['JPG', 'MOV'].map((ending) =>
    join(media.path('whole_repaired.pvt'), `whole_repaired.${ending}`),
  )
  const id = (await tags('-s3', '-Apple:ContentIdentifier', image ?? '')).trim()
  assert.match(id, /^[0-9A-F-]{36}$/)
  assert.is((await tags('-s3', '-Keys:ContentIdentifier', video_ ?? '')).trim(), id)
  for (const file of [image, video_])
    assert.is((await tags('-validate', '-warning', '-error', '-a', '-s2', file ?? '')).trim(), 'Validate: OK')
})

/** A photo that is of no Live Photo. */
function plain(width = 64, height = 48): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer()
}

test('a ZIP of a photo and an MP4 becomes a Live Photo, whose video decodes as before', async () => {
  const files = [
    { name: 'IMG_7.JPG', bytes: await plain() },
    { name: 'IMG_7.MOV', bytes: await readFile(video) },
  ]
  const zip = await media.write('loose.zip', concatBytes(zipPieces(files, noon)))
  const { exit, stdout, stderr } = await runProgram(['repair', zip])
  assert.equal([exit, stdout], [0, `${media.path('loose_repaired.zip')}\n`], stderr)
  const wrong = await runProgram(['repair', zip, '-o', media.path('loose.jpg')])
  assert.is(wrong.exit, 2)
  assert.match(wrong.stderr, /ends in \.zip, \.livp or \.pvt/)
  const movie = media.path('loose.mov')
  assert.is((await runProgram(['extract', media.path('loose_repaired.zip'), '-o', movie])).exit, 0)
  assert.is((await tags('-validate', '-warning', '-error', '-a', '-s2', movie)).trim(), 'Validate: OK')
  assert.match(await tags('-ee', '-n', '-s', '-StillImageTime', movie), /: -1$/m)
  for (const stream of ['0:v', '0:a']) assert.is(await decoded(movie, stream), await decoded(video, stream))
})

test('a folder that is no bundle is refused', async () => {
  await mkdir(media.path('folder'))
  await mkdir(media.path('empty.pvt'))
  assert.match((await runProgram(['inspect', media.path('folder')])).stderr, /It is a folder/)
  for (const command of ['inspect', 'extract', 'repair']) {
    const empty = await runProgram([command, media.path('empty.pvt')])
    assert.is(empty.exit, 1)
    assert.match(empty.stderr, /empty\.pvt: .*(no photo|no Live Photo)/, command)
  }
})

test('a bundle never takes the place of another one, and nothing is left of it', async () => {
  const path = media.path('same.pvt')
  assert.ok((await stat(path)).isDirectory())
  const { exit, stderr } = await runProgram([video, '--profile', 'apple', '-qfo', path])
  assert.is(exit, 1)
  assert.match(stderr, /It is a folder/)
  assert.is(
    (await readdir(media.folder)).some((name) => name.startsWith('.motion-photo.')),
    false,
  )
})

test.skipUnless(findProgram('unzip'), 'unzip is not installed')(
  'a ZIP is whole, and inspect recognises its Live Photo',
  async () => {
    const zip = media.path('video_all.zip')
    assert.is((await mustRunProgram([video, '--profile', 'all', '-q'])).stdout, `${zip}\n`)
    assert.match((await mustRun('unzip', ['-t', zip])).toString(), /No errors detected/)
    const listed = (await mustRun('unzip', ['-Z1', zip])).toString().trim().split('\n')
    assert.is(listed.length, 6)
    const { format, galleries } = JSON.parse((await runProgram(['inspect', '--json', zip])).stdout)
    assert.is(format, 'live-photo')
    const apple = galleries.find(({ gallery }: { gallery: string }) => gallery === 'apple')
    assert.equal([apple.recognised, apple.plays, apple.timestamp], ['yes', true, 'right'])
  },
)

test.run()
