import { chmod, copyFile, readFile } from 'node:fs/promises'
import { readHeicPicture, stripJpeg } from '@lantern-room/formats/pictures'
import sharp from 'sharp'
import { exiftool } from '#support/media/exiftool'
import { hdrPatches } from '#support/media/hdr'
import { heicFile } from '#support/media/heicFile'
import { describePhoto, livePair, PHONE_TAGS } from '#support/media/livePair'
import { ffmpeg, ffmpegPath, film, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { mustRunProgram, runProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { rejection } from '#support/values/failures'

// A photo and the video that belongs to it become a motion photo, before exiftool and sharp.

const test = suite('photos with their videos', { timeoutMs: 240_000 })

const media = await mediaFolderOfSuite()
let photo = ''
let movie = ''

test.before(async () => {
  const video = await media.make('video.mp4', film('160x120', 4))
  ;({ photo, movie } = await livePair(media, 'IMG_1', video, '--end', '4', '--cover', '1.5'))
})

async function make(name: string, ...args: string[]): Promise<string> {
  await mustRunProgram([...args, '-qfo', media.path(name)])
  return media.path(name)
}

async function refused(...args: string[]): Promise<string> {
  const { exit, stderr } = await runProgram([...args, '-qfo', media.path('refused.jpg')])
  assert.is(exit, 1, stderr)
  return stderr
}

async function tags(path: string, ...names: string[]): Promise<string[]> {
  const args = names.map((name) => `-${name}`)
  return (await exiftool('-n', '-s3', ...args, path)).toString().trim().split('\n')
}

const phoneTags = async (path: string) => tags(path, ...Object.keys(PHONE_TAGS))

const scanOf = async (path: string) =>
  stripJpeg(await readFile(path), { keepsProfile: false })?.bytes ?? new Uint8Array()

async function warnings(path: string): Promise<string> {
  return (await exiftool('-validate', '-warning', '-error', '-a', '-s3', path)).toString().trim()
}

test('the photo stays as it is, with all that the phone says of it, and the whole video is the clip', async () => {
  for (const profile of ['universal', 'huawei']) {
    const made = await make(`${profile}.jpg`, photo, movie, '--profile', profile)
    equalBytes(await scanOf(made), await scanOf(photo))
    assert.equal(await phoneTags(made), Object.values(PHONE_TAGS), profile)
    assert.equal(await tags(made, 'MotionPhotoPresentationTimestampUs'), ['1500000'])
    assert.equal(await tags(made, 'Apple:ContentIdentifier'), await tags(photo, 'Apple:ContentIdentifier'))
    // Xiaomi's tag is in no standard.
    assert.match(await warnings(made), /^(OK|1 Warning \(minor\)\n\[minor\] Unknown ExifIFD tag 0x8897)$/)
    const clip = await media.write('clip.mp4', await exiftool('-b', '-MotionPhotoVideo', made))
    assert.equal(await tags(clip, 'Duration'), ['4'])
  }
})

test('of sound in AAC every packet is copied, and the picture is all that is decoded', async () => {
  const video = await media.make('heard.mp4', film('160x120', 3, 'sound'))
  const pair = await livePair(media, 'IMG_2', video)
  // Turned otherwise than its video, it would be compared with that.
  await exiftool('-q', '-overwrite_original', '-Orientation#=1', pair.photo)
  const log = media.path('starts')
  const counting = await media.write(
    'ffmpeg',
    `#!/bin/sh\necho "$@" >> '${log}'\nexec '${ffmpegPath}' "$@"\n`,
  )
  await chmod(counting, 0o755)
  const args = [pair.photo, pair.movie, '-qfo', media.path('heard.jpg')]
  await mustRunProgram(args, { env: { FFMPEG_PATH: counting } })
  assert.match(await readFile(log, 'utf8'), /^-version\n.*-encoders\n.*-f jpeg_pipe .*\n$/)
  const clip = await media.write('heard clip.mp4', await exiftool('-b', '-MotionPhotoVideo', args[3] ?? ''))
  const soundOf = (path: string) => ffmpeg(['-i', path, '-map', '0:a', '-c', 'copy', '-f', 'data', 'pipe:1'])
  equalBytes(await soundOf(clip), await soundOf(pair.movie))
})

test('the order of the two does not matter, and it becomes a Live Photo again', async () => {
  const bundle = await make('back.pvt', movie, photo, '--profile', 'iphone')
  const [still, video] = [`${bundle}/back.JPG`, `${bundle}/back.MOV`]
  equalBytes(await scanOf(still), await scanOf(photo))
  assert.equal(await phoneTags(still), Object.values(PHONE_TAGS))
  assert.equal(await tags(still, 'Apple:ContentIdentifier'), await tags(video, 'Keys:ContentIdentifier'))
  assert.is(await warnings(still), 'OK')
})

test('with another choice of metadata the photo says no more than that', async () => {
  const made = await make('dated.jpg', photo, movie, '--metadata', 'date')
  equalBytes(await scanOf(made), await scanOf(photo))
  assert.equal(await tags(made, 'IFD0:Orientation', 'LensModel', 'GPSLatitude', 'XMP:Rating'), ['6'])
})

test.skipUnless(...withEncoder('libx265'))('the gain map of an Ultra HDR photo is kept', async () => {
  const pictures = hdrPatches(
    [
      [0.5, 0.5, 0.5],
      [3, 3, 3],
    ],
    'smpte2084',
    64,
    30,
  )
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'yuv444p10le', '-s', '64x64', '-r', '30', '-i', 'pipe:0']
  const codec = ['-c:v', 'libx265', '-x265-params', 'log-level=none', '-pix_fmt', 'yuv420p10le']
  const colour = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc']
  const video = await media.make('hdr.mp4', [...raw, ...codec, ...colour], pictures)
  const still = media.path('hdr.jpg')
  await mustRunProgram(['extract', '--what', 'still', '-o', still, await make('hdr_MP.jpg', video, '--hdr')])
  const map = await exiftool('-b', '-MPImage2', still)
  assert.ok(map.length > 100)
  const made = await make('hdr pair.jpg', still, video)
  equalBytes(await exiftool('-b', '-MPImage2', made), map)
  assert.equal(await tags(made, 'DirectoryItemSemantic'), ['Primary, GainMap, MotionPhoto'])
  equalBytes(
    await exiftool('-b', '-MPImage2', await make('plain.jpg', still, video, '--metadata', 'none')),
    map,
  )
})

async function heicOfPhoto(name: string): Promise<string> {
  const stream = await media.make('picture.hevc', [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=64x48:d=0.04', '-frames:v', '1', '-c:v', 'libx265'],
    ...['-x265-params', 'log-level=none:keyint=1', '-pix_fmt', 'yuv420p', '-f', 'hevc'],
  ])
  const file = heicFile({ streams: [await readFile(stream)], tile: { width: 64, height: 48 } })
  const heic = await media.write(name, file)
  await exiftool('-q', '-overwrite_original', '-tagsFromFile', photo, '-EXIF:all', '-XMP:all', heic)
  return heic
}

test.skipUnless(...withEncoder('libx265'))('a HEIC stays one with --format keep', async () => {
  const heic = await heicOfPhoto('IMG_4.HEIC')
  const streamOf = async (path: string) => readHeicPicture(await readFile(path))?.stream ?? new Uint8Array()
  const keep = async (name: string, ...args: string[]) => {
    const made = await make(name, ...args, '--format', 'keep')
    equalBytes(await streamOf(made), await streamOf(heic))
    assert.equal(await phoneTags(made), Object.values(PHONE_TAGS))
    assert.equal(await tags(made, 'DirectoryItemMime'), ['image/heic, video/mp4'])
    assert.match(await warnings(made), /^(OK|1 Warning \(minor\)\n\[minor\] Unknown ExifIFD tag 0x8897)$/)
    const clip = await media.write('clip.mp4', await exiftool('-b', '-MotionPhotoVideo', made))
    return [...(await tags(made, 'MotionPhotoPresentationTimestampUs')), ...(await tags(clip, 'Duration'))]
  }
  assert.equal(await keep('kept.HEIC', heic, movie), ['1500000', '4'])
  const again = ['--metadata', 'all', '--start', '1', '--end', '3', '--profile', 'google']
  assert.equal(await keep('cut.heic', media.path('kept.HEIC'), ...again), ['500000', '2'])
  const { stdout } = await mustRunProgram([heic, movie, '--format', 'keep', '-f'])
  assert.match(stdout, /_MP\.HEIC\n$/)
  assert.is((await sharp(await make('kept.jpg', photo, movie, '--format', 'keep')).metadata()).format, 'jpeg')

  const refusals: Record<string, readonly string[]> = {
    'With --format keep, --profile must be universal or google': ['--profile', 'huawei'],
    'With --format keep, --metadata must be all': ['--metadata', 'none'],
    'With --format keep, --rotate must be left out': ['--rotate', '90'],
    'ending in .heic': [],
  }
  for (const [sentence, args] of Object.entries(refusals))
    assert.match(await refused(heic, movie, '--format', 'keep', ...args), new RegExp(sentence))
  const damaged = await media.patch(heic, 'damaged.HEIC', (bytes) => bytes.subarray(0, -100))
  const said = await runProgram([damaged, movie, '--format', 'keep', '-qo', media.path('none.heic')])
  assert.match(said.stderr, /own picture (is damaged|cannot be decoded)/)
  await rejection(readFile(media.path('none.heic')))
})

test.skipUnless(...withEncoder('libx265'))('a HEIC becomes a JPEG that says what it said', async () => {
  const heic = await heicOfPhoto('IMG_2.HEIC')
  const made = await make('of heic.jpg', heic, movie)
  const upright = { ...PHONE_TAGS, 'IFD0:Orientation': '1' }
  assert.equal(await phoneTags(made), Object.values(upright))
  assert.equal((await sharp(made).metadata()).width, 64)
})

test('strangers are refused by what tells them apart', async () => {
  const other = media.path('IMG_2.JPG')
  await copyFile(photo, other)
  const changes = ['-MakerNotes:all=', '-DateTimeOriginal=2024:05:06 09:30:00']
  await exiftool('-q', '-overwrite_original', ...changes, other)
  assert.match(await refused(other, movie), /The photo and the video are no pair: .* \d+ s apart/)
  const second = await livePair(media, 'IMG_3', media.path('video.mp4'))
  assert.match(await refused(second.photo, movie), /no pair: their identifiers differ \(.{36}, .{36}\)/)
  const again = ['-stream_loop', '7', '-i', media.path('video.mp4'), '-c', 'copy']
  const long = await media.make('long.mp4', again)
  assert.match(await refused(photo, long), /no pair: the video lasts 3\d\.\d s, .* at most 30 s/)
  const fake = media.path('fake.mov')
  await copyFile(photo, fake)
  assert.match(await refused(photo, fake), /goes with a video only, and the other file is none/)
  assert.match(await refused(await media.write('text.jpg', Buffer.from('no photo')), movie), /text\.jpg: /)
  const two = await runProgram([photo, other])
  assert.match(two.stderr, /Name one video only/)
})

test('a photo and a video of vivo are known by its id', async () => {
  const jpeg = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer()
  const mark = (id: string) => Buffer.from(`vivo{"com.android.camera.livephoto":"${id}","version":2103}`)
  const ids = ['0123456789abcdef0123456789ab', 'ba9876543210fedcba9876543210']
  const [one = '', two = ''] = await Promise.all(
    ids.map((id, i) => media.write(`vivo ${i}.jpg`, Buffer.concat([jpeg, mark(id)]))),
  )
  const box = Buffer.concat([Buffer.from('\0\0\0\x60uuidvivoMediaExtInfo'), mark(ids[0] ?? '')])
  box.writeUInt32BE(box.length)
  const clip = await media.write('vivo.mp4', Buffer.concat([await readFile(media.path('video.mp4')), box]))
  await describePhoto(one)
  equalBytes(await scanOf(await make('of vivo.jpg', one, clip)), await scanOf(one))
  assert.match(await refused(two, clip), /no pair: their identifiers differ/)
})

test.run()
