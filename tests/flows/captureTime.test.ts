import { copyFile, readFile, stat, utimes } from 'node:fs/promises'
import { readMotionPhoto } from '#core/formats/motionPhoto/read'
import { exiftool } from '#support/media/exiftool'
import { mediaFolderOf } from '#support/media/media'
import { mustRunProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'

// A photo of an old video sorts among old photos: judged by exiftool.

const test = suite('time and place of a recording', { timeoutMs: 60_000 })

const media = await mediaFolderOf(test)
let iphone = ''
let android = ''
let nameless = ''

const scene = '-f lavfi -i testsrc2=size=160x120:rate=30:duration=1 -c:v libx264 -preset ultrafast'.split(' ')
const pixels = ['-pix_fmt', 'yuv420p']

test.before(async () => {
  const tags = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).flatMap(([key, value]) => ['-metadata', `${key}=${value}`])
  iphone = await media.make('iphone.mov', [
    ...scene,
    ...pixels,
    ...['-movflags', 'use_metadata_tags'],
    ...tags({
      creation_time: '2024-05-06T08:00:00Z',
      'com.apple.quicktime.creationdate': '2024-05-06T09:08:09+0200',
      'com.apple.quicktime.location.ISO6709': '+48.1372+011.5755+519.000/',
      'com.apple.quicktime.make': 'Apple',
      'com.apple.quicktime.model': 'iPhone 15 Pro',
    }),
  ])
  android = await media.make('android.mp4', [
    ...scene,
    ...pixels,
    ...tags({ creation_time: '2024-05-06T07:08:09Z', location: '-33.8568+151.2153/' }),
  ])
  nameless = await media.make('nameless.mp4', [...scene, ...pixels])
})

type Tags = Readonly<Record<string, string | undefined>>

async function made(
  input: string,
  name: string,
  ...options: string[]
): Promise<{ path: string; tags: Tags }> {
  const path = media.path(name)
  await mustRunProgram([input, '-qo', path, ...options], { env: { TZ: 'America/New_York' } })
  return { path, tags: await tagsOf(path) }
}

const WANTED =
  '-DateTimeOriginal -OffsetTimeOriginal -ModifyDate -Make -Model -GPSLatitude -GPSLongitude -GPSAltitude'.split(
    ' ',
  )

async function tagsOf(path: string): Promise<Tags> {
  const [tags] = JSON.parse((await exiftool('-j', '-n', ...WANTED, path)).toString())
  const { SourceFile: _, ...rest } = tags
  return rest
}

/** When the clip in a photo was made, as exiftool reads it. */
async function clipTimes(path: string): Promise<string[]> {
  const photo = await readFile(path)
  const clip = readMotionPhoto(photo)?.clip
  if (!clip) throw new Error('there is no clip')
  const file = await media.write('clip.mp4', photo.subarray(clip.offset, clip.offset + clip.length))
  const names = ['-QuickTime:CreateDate', '-TrackCreateDate', '-MediaCreateDate']
  return (await exiftool('-s3', ...names, file)).toString().trim().split('\n')
}

test('an iPhone video gives its local time, and the file gets its date', async () => {
  const { path, tags } = await made(iphone, 'iphone.jpg')
  assert.equal(tags, {
    DateTimeOriginal: '2024:05:06 09:08:09',
    OffsetTimeOriginal: '+02:00',
    ModifyDate: '2024:05:06 09:08:09',
  })
  assert.equal(
    await clipTimes(path),
    Array.from({ length: 3 }, () => '2024:05:06 07:08:09'),
  )
  assert.is(
    (await stat(path)).mtime.toISOString(),
    '2024-05-06T07:08:09.500Z',
    'with the second of the still',
  )
})

test('the second of the still is told to the millisecond, in every tag of it', async () => {
  const { path } = await made(iphone, 'exact.jpg', '--cover', '0.8')
  const names = ['-SubSecDateTimeOriginal', '-SubSecCreateDate', '-SubSecModifyDate']
  assert.equal(
    (await exiftool('-s3', ...names, path)).toString().trim().split('\n'),
    Array(3).fill('2024:05:06 09:08:09.800+02:00'),
  )
})

test('all adds place, maker and model', async () => {
  const { path, tags } = await made(iphone, 'all.jpg', '--metadata', 'all')
  assert.equal(tags, {
    DateTimeOriginal: '2024:05:06 09:08:09',
    OffsetTimeOriginal: '+02:00',
    ModifyDate: '2024:05:06 09:08:09',
    Make: 'Apple',
    Model: 'iPhone 15 Pro',
    GPSLatitude: 48.1372,
    GPSLongitude: 11.5755,
    GPSAltitude: 519,
  })
  const verdict = await exiftool('-validate', '-warning', '-a', '-s2', path)
  assert.is(
    verdict.toString().trim(),
    'Validate: 1 Warning (minor)\nWarning: [minor] Unknown ExifIFD tag 0x8897',
  )
})

test("a time in UTC is shown by this machine's clocks, or those of the wanted zone", async () => {
  const { tags } = await made(android, 'android.jpg')
  assert.equal([tags.DateTimeOriginal, tags.OffsetTimeOriginal], ['2024:05:06 03:08:09', '-04:00'])
  const tokyo = await made(android, 'tokyo.jpg', '--time-zone', 'Asia/Tokyo', '--metadata', 'all')
  assert.equal(
    [tokyo.tags.DateTimeOriginal, tokyo.tags.OffsetTimeOriginal],
    ['2024:05:06 16:08:09', '+09:00'],
  )
  assert.is(tokyo.tags.GPSLatitude, -33.8568)
})

test('a video without a time has that of its file; a given time beats both', async () => {
  const day = Date.UTC(2021, 0, 2, 12) / 1000
  await utimes(nameless, day, day)
  const { tags } = await made(nameless, 'nameless.jpg')
  assert.equal([tags.DateTimeOriginal, tags.OffsetTimeOriginal], ['2021:01:02 07:00:00', '-05:00'])
  const named = media.path('Screen_Recording_20240114_153012_App.mp4')
  await copyFile(nameless, named)
  const output = media.path('named.jpg')
  const { stdout, stderr } = await mustRunProgram([named, '-q', '--json', '-o', output])
  const { taken_at, taken_at_from } = JSON.parse(stdout)
  assert.equal([taken_at.slice(0, 19), taken_at_from], ['2024-01-14T15:30:12', 'name'])
  assert.is(stderr, 'motion-photo: The date is that in the name of the video, which says none itself.\n')
  const given = await made(nameless, 'given.jpg', '--captured-at', '2020-07-03T04:05:06')
  assert.equal(
    [given.tags.DateTimeOriginal, given.tags.OffsetTimeOriginal],
    ['2020:07:03 04:05:06', '-04:00'],
  )
})

test.run()
