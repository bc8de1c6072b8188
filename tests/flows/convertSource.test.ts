import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readMovie } from '@lantern-room/mp4'
import { makeCoded, readNumbers } from '#support/media/codedPictures'
import {
  ffprobe,
  mediaFolderOfSuite,
  packetHashesOf,
  packetsOf,
  withEncoder,
  withFfprobe,
} from '#support/media/media'
import { createMediaTools, type Prepared, type Shot } from '#support/media/mediaTools'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { loudness, soundOf } from '#support/media/sound'
import { mustRunProgram } from '#support/process/commandLine'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

// Clips with the original's own pictures. Every picture bears its number in the original.

const test = suite('clips in the quality of their source', { timeoutMs: 180_000 })
const judged = test.skipUnless(...withFfprobe)
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

const SECONDS = 4
const FIXTURES = join(projectRoot, 'tests/fixtures/media')
/** Key frames lie far apart, and B-frames are shown in another order than they are decoded. */
const PHONE = '-c:v libx264 -preset ultrafast -bf 2 -g 45 -pix_fmt yuv420p -c:a aac'.split(' ')
/** Those that an edit list hides, too. */
const EVERY_PACKET = ['-advanced_editlist', '0']
const TONE = ['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${SECONDS}`]

async function prepare(name: string, rate: number | string, args: readonly string[]): Promise<Prepared> {
  const frames = Math.round(SECONDS * (typeof rate === 'number' ? rate : Number.parseFloat(rate)))
  return tools.prepare(await makeCoded(media, name, [frames, rate], [...TONE, ...args]))
}

/** When each picture of a clip is shown, hidden ones left out. */
async function timesOf(clip: string): Promise<number[]> {
  const times = (await packetsOf(clip)).map(({ pts }) => pts)
  return times.filter((time) => time >= 0).sort((a, b) => a - b)
}

async function checkClip(shot: Shot, rate: number, start: number, end: number, speed: number): Promise<void> {
  assert.equal([shot.clipQuality, shot.sourceProblem], ['source', undefined])
  const shown = await readNumbers(shot.clip)
  const first = Math.round(start * rate)
  assert.equal(
    shown,
    Array.from({ length: Math.round((end - start) * rate) }, (_, index) => first + index),
  )
  const times = await timesOf(shot.clip)
  shown.forEach((_, index) => {
    const wanted = index / (rate * speed)
    assert.ok(
      Math.abs((times[index] ?? -1) - wanted) < 0.002,
      `picture ${index} at ${times[index]}, not ${wanted}`,
    )
  })
  const { streams } = await ffprobe(shot.clip)
  for (const { codec_type, duration } of streams) {
    assert.ok(Math.abs(Number(duration) - (end - start) / speed) < 1 / 30, `${codec_type}: ${duration} s`)
  }
  assert.ok(loudness(await soundOf(shot.clip)) > 0.04)
}

for (const [name, rate, args] of [
  ['h264.mov', 30, PHONE],
  ['sixty.mp4', 60, PHONE],
  ['film.mp4', 24, PHONE],
  ['open.mp4', 30, [...PHONE, '-x264-params', 'open-gop=1:b-pyramid=normal:bframes=3']],
  ['all-key.mp4', 30, [...PHONE, '-g', '1']],
] as const) {
  judged(`${name}: any range, exactly the pictures of it`, async () => {
    const made = await prepare(name, rate, args)
    for (const [start, end, speed] of [
      [0, 0.5, 1],
      [1.5, 2.5, 1],
      [3.5, 4, 0.5],
    ] as const) {
      const shot = await tools.shoot(made, { start, end, speed }, { quality: 'source' })
      await checkClip(shot, rate, start, end, speed)
    }
  })
}

judged(
  'the samples are those of the original, bit by bit, and twice the speed is half the time',
  async () => {
    const made = await prepare('bits.mp4', 30, PHONE)
    const whole = await packetHashesOf(made.upload, EVERY_PACKET)
    const shot = await tools.shoot(made, { start: 2, end: 4, speed: 2 }, { quality: 'source' })
    await checkClip(shot, 30, 2, 4, 2)
    const hashes = await packetHashesOf(shot.clip, EVERY_PACKET)
    const first = whole.indexOf(hashes[0] ?? '')
    assert.ok(first >= 0 && first <= 60, 'it begins with a key frame before the range')
    assert.equal(hashes, whole.slice(first, first + hashes.length))
  },
)

judged(
  'a player that ignores edit lists sees nothing of the hidden pictures, and hears in time',
  async () => {
    const made = await prepare('ignorant.mp4', 30, PHONE)
    const { clip, photo, read } = await tools.shoot(made, { start: 2, end: 4 }, { quality: 'source' })
    const { movie } = readMovie(photo.subarray(read.clip?.offset ?? 0))
    const [video] = movie?.tracks ?? []
    const hiddenSeconds = (video?.edits[0]?.mediaTime ?? 0) / (video?.timescale ?? 1)
    // Two frames are the delay of the reordering, as in any file with B-frames.
    assert.ok(hiddenSeconds < 3 / 30, `${hiddenSeconds} s`)
    assert.is((await readNumbers(clip))[0], 60)
  },
)

judged('rotation and colours stay as they are', async () => {
  const colours =
    '-colorspace bt2020nc -color_primaries bt2020 -color_trc arib-std-b67 -color_range tv'.split(' ')
  const flat = await makeCoded(media, 'flat.mp4', [90], [...PHONE, ...colours])
  const turned = await media
    .make('turned.mp4', ['-display_rotation', '90', '-i', flat, '-c', 'copy'])
    .catch(() => undefined)
  const made = await tools.prepare(turned ?? flat)
  const { clip } = await tools.shoot(made, { start: 1, end: 2 }, { quality: 'source' })
  const [before, after] = await Promise.all(
    [turned ?? flat, clip].map(async (path) => (await ffprobe(path)).streams[0]),
  )
  for (const field of [
    'color_space',
    'color_primaries',
    'color_transfer',
    'width',
    'height',
    'profile',
    'level',
  ]) {
    assert.is(after?.[field], before?.[field], field)
  }
  assert.equal(after?.side_data_list, before?.side_data_list)
})

test.skipUnless(...withEncoder('libx265'))('HEVC is copied when it is asked for, and only then', async () => {
  const hevc =
    '-c:v libx265 -preset ultrafast -x265-params log-level=error:keyint=45 -tag:v hvc1 -pix_fmt yuv420p -c:a aac'
  const made = await prepare('hevc.mov', 30, hevc.split(' '))
  const source = await tools.shoot(made, { start: 1, end: 3 }, { quality: 'source' })
  await checkClip(source, 30, 1, 3, 1)
  const auto = await tools.shoot(made, { start: 1, end: 3 }, { quality: 'auto' })
  assert.equal([auto.clipQuality, auto.sourceProblem], ['preview', 'codec'])
})

for (const [name, problem] of [
  ['h264-high10', 'codec'],
  ['mirrored-matrix', 'mirror'],
] as const) {
  judged(`${name}.mp4, which phones do not play: 8 bits of 4:2:0 and no mirror`, async () => {
    const made = await tools.prepare(join(FIXTURES, `${name}.mp4`))
    for (const quality of ['source', 'auto'] as const) {
      const shot = await tools.shoot(made, { start: 0.5, end: 1.5 }, { quality })
      assert.equal([shot.clipQuality, shot.sourceProblem], ['preview', problem])
      const [video] = (await ffprobe(shot.clip)).streams
      assert.equal([video?.pix_fmt, video?.side_data_list], ['yuv420p', undefined])
    }
  })
}

judged('hev1.mp4: its own pictures, as hvc1', async () => {
  const made = await tools.prepare(join(FIXTURES, 'hev1.mp4'))
  const { clip, clipQuality } = await tools.shoot(made, { start: 0.5, end: 1.5 }, { quality: 'source' })
  const [video] = (await ffprobe(clip)).streams
  assert.equal([clipQuality, video?.codec_tag_string], ['source', 'hvc1'])
  const whole = await packetHashesOf(join(FIXTURES, 'hev1.mp4'), EVERY_PACKET)
  const copied = await packetHashesOf(clip, EVERY_PACKET)
  assert.ok(copied.length >= 30 && copied.every((hash) => whole.includes(hash)))
})

test('what cannot be copied has the pictures of the preview, and the reason is told', async () => {
  const mkv = await prepare('matroska.mkv', 30, PHONE)
  const mpeg4 = await prepare('mpeg4.mp4', 30, ['-c:v', 'mpeg4', '-c:a', 'aac'])
  const avc = await prepare('fast.mp4', 30, PHONE)
  for (const [made, speed, problem] of [
    [mkv, 1, 'format'],
    [mpeg4, 1, 'codec'],
    [avc, 5, 'speed'],
  ] as const) {
    const shot = await tools.shoot(made, { start: 1, end: 3, speed }, { quality: 'source' })
    assert.equal([shot.clipQuality, shot.sourceProblem], ['preview', problem])
    assert.ok(Math.abs(((await readNumbers(shot.clip))[0] ?? 0) - 30) <= 1)
  }
})

judged('what turns out only in its pictures is made of the preview in one go, too', async () => {
  const path = await media.patch(join(FIXTURES, 'hev1.mp4'), 'other-set.mp4', (bytes) => {
    const track = readMovie(bytes).movie?.tracks.find(({ kind }) => kind === 'video')
    const [at = 0, size = 0] = [track?.samples.offsets[10], track?.samples.sizes[10]]
    // A parameter set that the sample entry does not have, and padding.
    bytes.fill(0, at, at + size)
    bytes.set([0, 0, 0, 4, 0x44, 0x01, 0xc1, 0x73, 0, 0, (size - 12) >> 8, (size - 12) & 255, 0x4c], at)
    return undefined
  })
  const photo = media.path('other-set_MP.jpg')
  const told = await mustRunProgram([path, '--quality', 'source', '--json', '-o', photo])
  assert.is(JSON.parse(told.stdout).clip_quality, 'preview')
  const { clip } = readMotionPhoto(await readFile(photo)) ?? {}
  const mp4 = (await readFile(photo)).subarray(clip?.offset)
  const [picture] = (await ffprobe(await media.write('other-set-clip.mp4', mp4))).streams
  const [original] = (await ffprobe(path)).streams
  assert.equal([picture?.width, picture?.height], [original?.width, original?.height])
})

judged('pictures at irregular times keep their own, and the cover is one of them', async () => {
  // Every third picture is dropped from the second second on.
  const select = ['-vf', "select='lt(n,30)+mod(n,3)'", '-fps_mode', 'vfr']
  const made = await tools.prepare(await makeCoded(media, 'irregular.mp4', [120], [...select, ...PHONE]))
  const shot = await tools.shoot(made, { start: 0.5, end: 3, cover: 2.1 }, { quality: 'source' })
  assert.is(shot.clipQuality, 'source')
  const shown = await readNumbers(shot.clip)
  const times = await timesOf(shot.clip)
  shown.forEach((number, index) => {
    assert.ok(Math.abs((times[index] ?? -1) - (number - 15) / 30) < 0.002, `${number} at ${times[index]}`)
  })
  const timestamp = Number(shot.read.xmp?.presentationTimestampUs) / 1e6
  const cover = shown[times.findIndex((time) => Math.abs(time - timestamp) < 1e-4)] ?? 0
  assert.ok(Math.abs(cover - 63) <= 1, `${cover}`)
})

judged(
  'the timestamp is that of the picture which the cover shows, however long that one is shown',
  async () => {
    const select = ['-vf', "select='not(mod(n,10))'", '-fps_mode', 'vfr']
    const made = await tools.prepare(await makeCoded(media, 'sparse.mp4', [120], [...select, ...PHONE]))
    for (const [cover, speed] of [
      [2.1, 1],
      [2.3, 1],
      [2.3, 2],
    ] as const) {
      const shot = await tools.shoot(made, { start: 0.5, end: 3, cover, speed }, { quality: 'source' })
      assert.is(shot.clipQuality, 'source')
      const times = await timesOf(shot.clip)
      const timestamp = Number(shot.read.xmp?.presentationTimestampUs) / 1e6
      const index = times.findIndex((time) => Math.abs(time - timestamp) < 1e-4)
      const numbers = [(await readNumbers(shot.clip))[index], ...(await readNumbers(shot.thumbnail))]
      assert.equal(numbers, [60, 60], `cover ${cover}, speed ${speed}`)
    }
  },
)

test('a slow clip of a fast recording says how many pictures a second its source would give', async () => {
  const fast = await prepare('fast.mp4', 120, PHONE)
  for (const [speed, rate] of [
    [0.25, 30],
    [0.5, 60],
    [1, undefined],
  ] as const) {
    const shot = await tools.shoot(fast, { start: 1, end: 2, speed })
    assert.equal([shot.clipQuality, shot.sourceRate], ['preview', rate])
  }
  const source = await tools.shoot(fast, { start: 1, end: 2, speed: 0.25 }, { quality: 'source' })
  assert.equal([source.clipQuality, source.sourceRate], ['source', undefined])
})

test.run()
