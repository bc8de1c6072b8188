import { copyFile, readFile, stat, utimes } from 'node:fs/promises'
import { exiftool } from '#support/media/exiftool'
import { mediaFolderOfSuite } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { samsungTimeTrailer } from '#support/media/samsungTrailer'
import { mustRunProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'

// A photo of an old video sorts among old photos: judged by exiftool.

const test = suite('time and place of a recording', { timeoutMs: 60_000 })

const media = await mediaFolderOfSuite()
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
  const { stdout, stderr } = await mustRunProgram([named, '-q', '--json', '-o', output], {
    env: { TZ: 'America/New_York' },
  })
  const { taken_at, taken_at_from } = JSON.parse(stdout)
  assert.equal([taken_at.slice(0, 19), taken_at_from], ['2024-01-14T15:30:12', 'name'])
  assert.is(stderr, 'motion-photo: The date is that in the name of the video; nothing says its time zone.\n')
  assert.is((await stat(output)).mtime.toISOString(), '2024-01-14T20:30:12.500Z', "by this machine's clocks")
  const given = await made(nameless, 'given.jpg', '--captured-at', '2020-07-03T04:05:06')
  assert.equal(
    [given.tags.DateTimeOriginal, given.tags.OffsetTimeOriginal],
    ['2020:07:03 04:05:06', '-04:00'],
  )
})

/** A second of pictures with tags, as ffmpeg writes them. */
const tagged = (name: string, ...values: readonly string[]) =>
  media.make(name, [
    ...scene,
    ...pixels,
    ...['-movflags', 'use_metadata_tags'],
    ...values.flatMap((value) => ['-metadata', value]),
  ])

async function taken(path: string, ...options: string[]): Promise<readonly [string, string, string]> {
  const output = media.path('taken.jpg')
  const { stdout } = await mustRunProgram([path, '-qfo', output, '--json', '--cover', '0', ...options], {
    env: { TZ: 'America/New_York' },
  })
  const { taken_at_from, time_zone_from } = JSON.parse(stdout)
  const when = (await exiftool('-s3', '-SubSecDateTimeOriginal', output)).toString().trim()
  return [when.replace(/\.000(?=[+-]|$)/, ''), taken_at_from, time_zone_from]
}

test("Android's header is the end of the recording, and Samsung's zone is that of its clocks", async () => {
  const end = 'creation_time=2024-01-14T06:30:15Z'
  const android = await tagged('one.mp4', end, 'com.android.version=14')
  assert.equal(await taken(android), ['2024:01:14 01:30:14-05:00', 'video', 'machine'])
  const samsung = await tagged('two.mp4', end, 'com.samsung.android.utc_offset=+0900')
  assert.equal(await taken(samsung), ['2024:01:14 15:30:14+09:00', 'video', 'video'])
  const named = media.path('20240114_153014.mp4')
  await copyFile(samsung, named)
  assert.equal(await taken(named), ['2024:01:14 15:30:14+09:00', 'name', 'video'])
})

test('the name of a file and its header tell the zone together, or not at all', async () => {
  const header = await tagged('three.mp4', 'creation_time=2024-01-14T14:30:15Z')
  for (const [name, ...told] of [
    ['VID_20240114_153014.mp4', '2024:01:14 15:30:14+01:00', 'name', 'compared'],
    ['Bildschirmaufnahme 2024-01-14 um 20.00.15.mov', '2024:01:14 20:00:15+05:30', 'name', 'compared'],
    ['DJI_20240114143015_0001_D.MP4', '2024:01:14 14:30:15', 'name', null],
    ['VID_20240114_154014.mp4', '2024:01:14 15:40:14', 'name', null],
    ['PXL_20240114_143014500.mp4', '2024:01:14 09:30:14.500-05:00', 'name', 'machine'],
    ['VID-20240114-WA0001.mp4', '2024:01:14 09:30:15-05:00', 'video', 'machine'],
    ['VID_20230114_153014.mp4', '2024:01:14 09:30:15-05:00', 'video', 'machine'],
  ] as const) {
    const path = media.path(name)
    await copyFile(header, path)
    assert.equal(await taken(path), told, name)
  }
  const day = media.path('VID-20240114-WA0002.mp4')
  await copyFile(nameless, day)
  assert.equal(await taken(day), ['', null, null], 'a day is no time')
  const evening = Date.UTC(2024, 0, 15, 2) / 1000
  await utimes(day, evening, evening)
  assert.equal(await taken(day), ['2024:01:14 21:00:00-05:00', 'file', 'machine'])
})

test("a photo's own clock stays, and the clip tells its zone where it can", async () => {
  const still = await media.make('still.jpg', [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=160x120', '-frames:v', '1'],
  ])
  const clip = await tagged('clip.mp4', 'creation_time=2024-01-14T13:30:01Z')
  const none = await tagged('none.mp4')
  const pairOf = async (video: string, ...tags: string[]) => {
    const photo = media.path('photo.jpg')
    await copyFile(still, photo)
    await exiftool('-q', '-overwrite_original', '-DateTimeOriginal=2024:01:14 15:30:00', ...tags, photo)
    // The picture as it is, and one of the clip: its date is written anew.
    const [own, ...from] = await taken(video, photo, '--metadata', 'date')
    const [ofClip] = await taken(video, photo, '--metadata', 'date', '--cover', '0.5')
    return [own, ofClip, ...from]
  }
  const later = (zone: string) => `2024:01:14 15:30:00.500${zone}`
  const same = '2024:01:14 15:30:00'
  assert.equal(await pairOf(clip), [`${same}+02:00`, later('+02:00'), 'photo', 'compared'])
  assert.equal(await pairOf(none), [same, later(''), 'photo', null], 'and not that of this machine')
  const gps = ['-GPSDateStamp=2024:01:14', '-GPSTimeStamp=09:59:40']
  assert.equal(await pairOf(none, ...gps), [`${same}+05:30`, later('+05:30'), 'photo', 'compared'])
  const zone = ['-OffsetTimeOriginal=-03:00']
  assert.equal(await pairOf(none, ...zone), [`${same}-03:00`, later('-03:00'), 'photo', 'photo'])
})

test("Samsung's block behind a picture tells the zone of its clock", async () => {
  const plain = media.path('plain.jpg')
  await copyFile(media.path('still.jpg'), plain)
  await exiftool('-q', '-overwrite_original', '-DateTimeOriginal=2024:01:14 15:30:00', plain)
  const photo = await media.write(
    'samsung.jpg',
    Buffer.concat([await readFile(plain), samsungTimeTrailer(1705242600000)]),
  )
  assert.match((await exiftool('-s3', '-Samsung:TimeStamp', photo)).toString(), /^2024:01:14 /)
  assert.equal(await taken(nameless, photo, '--metadata', 'date'), [
    '2024:01:14 15:30:00+01:00',
    'photo',
    'compared',
  ])
})

test.run()
