import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { exiftoolPath } from 'exiftool-vendored'
import sharp from 'sharp'
import * as assert from 'uvu/assert'
import { type MediaFolder, mustRun, openMediaFolder } from '#support/media/media'
import { runProgram } from '#support/process/commandLine'
import { findProgram } from '#support/process/findProgram'
import { suite } from '#support/runner/suite'

// Live Photos before programs that know nothing of this one: exiftool, ffmpeg, unzip, sharp.

const test = suite('Live Photos', { timeoutMs: 60_000 })

let media: MediaFolder
let video = ''

test.before(async () => {
  media = await openMediaFolder()
  video = await media.make('video.mp4', [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30:duration=3'],
    ...['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=3'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '2', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
    ...['-metadata', 'creation_time=2024-05-06T07:08:09Z', '-metadata', 'location=+48.1372+011.5755/'],
  ])
})
test.after(() => media.remove())

async function exiftool(...args: string[]): Promise<string> {
  return (await mustRun(process.env.PERL_PATH || 'perl', [await exiftoolPath(), ...args])).toString()
}

/** A bundle of a Live Photo. @returns the paths of photo and movie */
async function bundle(name: string, ...options: string[]): Promise<{ still: string; movie: string }> {
  const path = media.path(`${name}.pvt`)
  const env = { TZ: 'Europe/Berlin' }
  const { exit, stdout, stderr } = await runProgram([video, '--profile', 'apple', '-qo', path, ...options], {
    env,
  })
  assert.is(exit, 0, stderr)
  assert.is(stdout, `${path}\n`)
  assert.equal((await readdir(path)).sort(), [`${name}.JPG`, `${name}.MOV`, 'metadata.plist'].sort())
  return { still: join(path, `${name}.JPG`), movie: join(path, `${name}.MOV`) }
}

test('exiftool finds one identifier in both, the moment of the still, and nothing wrong', async () => {
  const { still, movie } = await bundle('cat', '--start', '0.5', '--end', '2.5', '--cover', '2')
  const id = (await exiftool('-s3', '-Apple:ContentIdentifier', still)).trim()
  assert.match(id, /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/)
  assert.is((await exiftool('-s3', '-Keys:ContentIdentifier', movie)).trim(), id)
  for (const file of [still, movie])
    assert.is((await exiftool('-validate', '-warning', '-error', '-a', '-s2', file)).trim(), 'Validate: OK')
  const mark = await exiftool('-ee', '-n', '-s', '-StillImageTime', '-SampleTime', movie)
  assert.match(mark, /^StillImageTime +: -1$/m)
  assert.match(mark, /^SampleTime +: 0$/m)
  assert.is((await exiftool('-s3', '-FileType', movie)).trim(), 'MOV')
  assert.is((await exiftool('-s3', '-ContentDescribes', movie)).trim(), 'Track 1')
})

test('time and place are in both', async () => {
  const { still, movie } = await bundle('placed', '--metadata', 'all')
  const names = ['-DateTimeOriginal', '-OffsetTimeOriginal', '-GPSLatitude', '-GPSLongitude']
  assert.is(await exiftool('-n', '-s3', ...names, still), '2024:05:06 09:08:09\n+02:00\n48.1372\n11.5755\n')
  assert.is(
    await exiftool('-s3', '-Keys:CreationDate', '-QuickTime:CreateDate', movie),
    '2024:05:06 09:08:09+02:00\n2024:05:06 07:08:09\n',
  )
  assert.is(await exiftool('-n', '-s3', '-Keys:GPSCoordinates', movie), '48.1372 11.5755\n')
  assert.is((await stat(movie)).mtime.toISOString(), '2024-05-06T07:08:09.000Z')
})

test('the movie decodes to the pictures and the sound of the motion photo', async () => {
  const { movie } = await bundle('same', '--quality', 'preview')
  const output = media.path('same_MP.jpg')
  assert.is((await runProgram([video, '-qo', output, '--quality', 'preview'])).exit, 0)
  const ffmpeg = process.env.FFMPEG_PATH || 'ffmpeg'
  const photo = await readFile(output)
  const at = photo.indexOf('ftypmp42', 0, 'latin1') - 4
  const cut = await media.write('cut.mp4', photo.subarray(at))
  const sums = async (file: string, stream: string) =>
    (
      await mustRun(ffmpeg, [
        '-v',
        'error',
        '-xerror',
        '-nostdin',
        '-i',
        file,
        '-map',
        stream,
        '-f',
        'md5',
        '-',
      ])
    ).toString()
  for (const stream of ['0:v', '0:a']) assert.is(await sums(movie, stream), await sums(cut, stream), stream)
})

test('the still is the cover at full size', async () => {
  const { still } = await bundle('still')
  const { width, height, format } = await sharp(still, { failOn: 'warning' }).metadata()
  assert.equal([width, height, format], [320, 180, 'jpeg'])
})

test('a motion photo becomes a Live Photo, and a Live Photo a motion photo, with their time', async () => {
  const photo = media.path('source_MP.jpg')
  assert.is((await runProgram([video, '-qo', photo, '--time-zone', 'Asia/Tokyo'])).exit, 0)
  const live = media.path('turned.zip')
  const made = await runProgram([photo, '--profile', 'apple', '-qo', live])
  assert.is(made.exit, 0, made.stderr)
  const back = media.path('back_MP.jpg')
  const again = await runProgram([live, '-qo', back, '--json'])
  assert.is(again.exit, 0, again.stderr)
  const { taken_at, clip_quality } = JSON.parse(again.stdout)
  assert.equal([taken_at, clip_quality], ['2024-05-06T16:08:09+09:00', 'source'])
  assert.is((await exiftool('-s3', '-MotionPhoto', back)).trim(), '1')
})

test('a bundle never takes the place of another one, and nothing is left of it', async () => {
  await bundle('taken')
  const path = media.path('taken.pvt')
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
    for (const [profile, count, name] of [
      ['apple', 2, 'video_live.zip'],
      ['all', 6, 'video_all.zip'],
    ] as const) {
      const { exit, stdout, stderr } = await runProgram([video, '--profile', profile, '-q', '-f'])
      assert.is(exit, 0, stderr)
      assert.is(stdout, `${media.path(name)}\n`)
      assert.match((await mustRun('unzip', ['-t', media.path(name)])).toString(), /No errors detected/)
      const listed = (await mustRun('unzip', ['-Z1', media.path(name)])).toString().trim().split('\n')
      assert.is(listed.length, count)
      const inspected = await runProgram(['inspect', '--json', media.path(name)])
      const { format, galleries } = JSON.parse(inspected.stdout)
      assert.is(format, 'live-photo')
      const apple = galleries.find(({ gallery }: { gallery: string }) => gallery === 'apple')
      assert.equal([apple.recognised, apple.plays, apple.timestamp], ['yes', true, 'right'])
    }
  },
)

test.run()
