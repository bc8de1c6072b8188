import { readFile } from 'node:fs/promises'
import { MOTION_PHOTO_PROFILES } from '@lantern-room/formats/make'
import { FPS } from '@lantern-room/media/make'
import sharp from 'sharp'
import { exiftool } from '#support/media/exiftool'
import { ffmpegPath, mediaFolderOfSuite, mustRun } from '#support/media/media'
import { createMediaTools, type MediaTools, type Prepared, type Shot } from '#support/media/mediaTools'
import { readWithMp4Box } from '#support/media/mp4box'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

// Every way in which a clip is made, before programs that know nothing of this one.

const test = suite('converts before outside judges', { timeoutMs: 300_000 })

/** What a clip is made of: copied pictures, a head that is encoded, stretched or encoded sound, the original's pictures. */
const WAYS = [
  { what: 'from a key frame', start: 1, end: 3, speed: 1, quality: 'preview' },
  { what: 'from within a group', start: 1.3, end: 3.2, speed: 1, quality: 'preview' },
  { what: 'at half speed', start: 1.1, end: 2.1, speed: 0.5, quality: 'preview' },
  { what: 'at twice the speed', start: 0.5, end: 3.5, speed: 2, quality: 'preview' },
  { what: 'at ten times the speed', start: 0, end: 4, speed: 10, quality: 'preview' },
  { what: 'of the source', start: 1.2, end: 3, speed: 1, quality: 'source' },
  { what: 'of the source at twice the speed', start: 1.2, end: 3, speed: 2, quality: 'source' },
] as const

/** exiftool does not know the tag by which Xiaomi's gallery recognises a motion photo. */
const XIAOMI = 'Warning: [minor] Unknown ExifIFD tag 0x8897'

const media = await mediaFolderOfSuite()
let tools: MediaTools
let prepared: Prepared

test.before(async () => {
  tools = createMediaTools(media)
  const upload = media.path('upload.mp4')
  const video = '-c:v libx264 -preset veryfast -profile:v main -bf 2 -g 40 -pix_fmt yuv420p'.split(' ')
  await mustRun(ffmpegPath, [
    ...['-v', 'error', '-nostdin', '-y', '-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30:duration=4'],
    ...['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=4'],
    ...[...video, '-c:a', 'aac', '-b:a', '96k', upload],
  ])
  prepared = await tools.prepare(upload)
})

// What a profile adds does not depend on how the clip was made: each way is judged in one of them, and each profile at least once.
for (const [index, { what, start, end, speed, quality }] of WAYS.entries()) {
  const profile = MOTION_PHOTO_PROFILES[index % MOTION_PHOTO_PROFILES.length] ?? 'universal'
  test(`a clip ${what}, ${profile}: its photo is sound, and its clip is found whole`, async () => {
    const request = { start, end, cover: 2, speed }
    const shot = await tools.shoot(prepared, request, { profile, quality })
    assert.is(shot.clipQuality, quality, 'it was made in the way that is tried')
    const clip = await readFile(shot.clip)
    await judgePhoto(shot, clip, profile === 'huawei')
    await judgeClip(shot, clip, (end - start) / speed)
  })
}

async function judgePhoto({ path, read }: Shot, clip: Uint8Array, isHuawei: boolean): Promise<void> {
  const verdict = (await exiftool('-validate', '-warning', '-error', '-a', '-s2', path)).toString()
  const problems = verdict.trim().split('\n').slice(1)
  assert.ok(
    problems.every((line) => line === XIAOMI),
    verdict,
  )
  const found = await exiftool('-b', '-MotionPhotoVideo', path)
  equalBytes(found.subarray(0, clip.length), clip, 'the clip that exiftool takes out')
  if (isHuawei) assert.is(found.length, clip.length + 60)
  const image = await sharp(path, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true })
  assert.equal([image.info.width, image.info.height], [640, 360])
  assert.is(read.clip?.length, clip.length)
}

async function judgeClip({ clip: path }: Shot, clip: Uint8Array, seconds: number): Promise<void> {
  const { movie, file } = readWithMp4Box(clip)
  assert.equal([movie.isFragmented, movie.isProgressive], [false, true])
  assert.equal(
    file.boxes.map(({ type }) => type),
    ['ftyp', 'free', 'moov', 'mdat'],
  )
  for (const { codec, movie_duration } of movie.tracks) {
    const length = (movie_duration ?? 0) / movie.timescale
    assert.ok(Math.abs(length - seconds) < 1.01 / FPS, `${codec} lasts ${length} s and not ${seconds} s`)
  }
  assert.is(movie.tracks.length, 2)
  const decode = ['-v', 'error', '-xerror', '-nostdin', '-i', path, '-f', 'null', '-']
  assert.is((await mustRun(ffmpegPath, decode)).length, 0)
}

test.run()
