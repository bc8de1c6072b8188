import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createFfmpeg } from '@lantern-room/adapters/ffmpeg'
import { makeCoded, readNumbers } from '#support/media/codedPictures'
import {
  ffmpeg,
  ffmpegPath,
  ffprobe,
  frameTypesOf,
  mediaFolderOfSuite,
  mustRun,
  packetHashesOf,
  packetsOf,
  withFfprobe,
} from '#support/media/media'
import { createMediaTools, type Prepared } from '#support/media/mediaTools'
import { frequencyOf, loudness, onsetsOf, SAMPLE_RATE, soundOf } from '#support/media/sound'
import { assert, suite } from '#support/runner/suite'

// Every picture bears the number of its frame in the preview, and the sound is a tone.

const test = suite('clips', { timeoutMs: 120_000 })
const judged = test.skipUnless(...withFfprobe)
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)
const SECONDS = 8
const X264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p'.split(' ')

let prepared: Prepared
test.before(async () => {
  const tone = ['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${SECONDS}`]
  prepared = await tools.prepare(
    await makeCoded(media, 'numbers.mp4', [SECONDS * 30], [...tone, ...X264, '-c:a', 'aac']),
  )
  assert.is(prepared.frames, SECONDS * 30)
})

/** Pictures this small are all copied up to this speed, at which a screen could not show more, and every second one up to twice that. */
const MAX_COPIED_SPEED = 4
const GROUP = 14

/** Which frame of the preview stands at each frame of the clip. */
function expectedFrames(start: number, sourceFrames: number, speed: number): number[] {
  const all = Array.from({ length: sourceFrames }, (_, frame) => start + frame)
  if (speed <= MAX_COPIED_SPEED) return all
  if (speed <= 2 * MAX_COPIED_SPEED)
    return all.filter((frame) => frame === start || (frame % 2 === 0 && frame > start + 1))
  // The newest that has begun.
  return Array.from({ length: Math.round(sourceFrames / speed) }, (_, frame) => {
    return start + Math.min(Math.floor(frame * speed + 1e-6), sourceFrames - 1)
  })
}

for (const [speed, start, end] of [
  [0.1, 2.5, 3],
  [1, 1.234, 4.567],
  [2, 0.5, 6.5],
  [7.5, 1.1, 7.1],
  [10, 0, SECONDS],
] as const) {
  const title = `${start} s to ${end} s at speed ${speed}`
  judged(`${title}: exact length, the right pictures, the pitch kept`, async () => {
    const shot = await tools.shoot(prepared, { start, end, speed, cover: start })
    const seconds = (end - start) / speed
    const { streams, format } = await ffprobe(shot.clip)
    assert.ok(Math.abs(Number(format.duration) - seconds) <= 1 / 30 + 0.001, `${format.duration} s`)
    for (const { codec_type, start_time, duration } of streams) {
      assert.ok(Math.abs(Number(duration) - seconds) <= 1 / 30 + 0.001, `${codec_type}: ${duration} s`)
      assert.is(Number(start_time), 0, codec_type)
    }
    const shown = await readNumbers(shot.clip)
    const first = Math.floor(start * 30 + 1e-3)
    const sourceFrames = Math.round((end - start) * 30)
    assert.equal(shown, expectedFrames(first, sourceFrames, speed))
    const isCopied = speed <= 2 * MAX_COPIED_SPEED
    for (const [index, { pts }] of (await packetsOf(shot.clip)).entries()) {
      const time = isCopied ? ((shown[index] ?? 0) - first) / (30 * speed) : index / 30
      assert.ok(Math.abs(pts - time) < 1e-4, `picture ${index} at ${pts} s`)
    }
    assert.is(shown[0], first, 'the first')
    assert.ok(first + sourceFrames - (shown.at(-1) ?? 0) <= Math.ceil(speed), 'the last')

    const sound = await soundOf(shot.clip)
    assert.ok(Math.abs(sound.length / SAMPLE_RATE - seconds) < 0.05)
    const middle = sound.subarray(0.1 * SAMPLE_RATE, (seconds - 0.1) * SAMPLE_RATE)
    assert.ok(Math.abs(frequencyOf(middle) / 440 - 1) < 0.02, `${frequencyOf(middle)} Hz`)
    assert.ok(loudness(middle) > 0.04)
  })
}

judged('a clip is as the preview is: baseline, level 3.1, groups of 14, index first', async () => {
  const shot = await tools.shoot(prepared, { start: GROUP / 30, end: GROUP / 30 + 2 })
  const [video, audio] = (await ffprobe(shot.clip)).streams
  assert.match(String(video?.profile), /Baseline/)
  assert.equal([video?.level, video?.pix_fmt, video?.has_b_frames], [31, 'yuv420p', 0])
  assert.equal([video?.color_space, video?.color_range], ['bt709', 'tv'])
  assert.equal([audio?.codec_name, audio?.profile, audio?.sample_rate], ['aac', 'LC', '48000'])
  assert.is(await frameTypesOf(shot.clip), `I${'P'.repeat(GROUP - 1)}`.repeat(5).slice(0, 60))
  assert.ok((await packetsOf(shot.clip)).every(({ isKey }, index) => isKey === (index % GROUP === 0)))
})

test('frames from the first key frame on are those of the preview, bit by bit, at any speed', async () => {
  const whole = await packetHashesOf(prepared.path)
  for (const [start, end, speed] of [
    [0.5, 3.5, 1],
    [1.1, 4.3, 1],
    [1.1, 4.3, 2],
    [2.4, 4, 0.3],
  ] as const) {
    const hashes = await packetHashesOf((await tools.shoot(prepared, { start, end, speed })).clip)
    const first = Math.round(start * 30)
    const copied = Math.ceil(first / GROUP) * GROUP
    assert.is(hashes.length, Math.round((end - start) * 30))
    assert.ok(copied - first < GROUP)
    assert.equal(hashes.slice(copied - first), whole.slice(copied, first + hashes.length))
  }
})

test('a single frame before the first copied one is a key frame with another identifier than that', async () => {
  // The last frame of a group, of two groups in succession: an encoder alternates between 0 and 1.
  for (const frame of [2 * GROUP - 1, 3 * GROUP - 1]) {
    const start = frame / 30
    const { clip } = await tools.shoot(prepared, {
      start,
      end: start + 0.9,
      cover: start,
    })
    const trace = [...['-an', '-c', 'copy', '-bsf:v', 'trace_headers'], '-f', 'null', '-']
    const { stderr } = await promisify(execFile)(ffmpegPath, ['-i', clip, ...trace], { maxBuffer: 1 << 24 })
    const ids = [...stderr.matchAll(/idr_pic_id .* = (\d+)/g)].map(([, id]) => Number(id))
    assert.equal(ids.length, 3)
    assert.is.not(ids[0], ids[1], `frame ${frame}: ${ids}`)
    assert.equal((await readNumbers(clip)).slice(0, 3), [frame, frame + 1, frame + 2])
  }
})

test('a range that is repeated takes no more memory than one that is not', async () => {
  const size = ['-vf', 'scale=1280:720:flags=neighbor']
  const made = await tools.prepare(await makeCoded(media, 'large.mp4', [250], [...size, ...X264]))
  const memoryLimitBytes = 640 * 1024 * 1024
  const limited = createMediaTools(media, { ffmpeg: createFfmpeg({ path: ffmpegPath, memoryLimitBytes }) })
  const once = Array.from({ length: 235 }, (_, frame) => 10 + frame)
  for (const repeat of [1, 3]) {
    const { clip } = await limited.shoot(made, { start: 10 / 30, end: 245 / 30, speed: 1, repeat })
    assert.equal(await readNumbers(clip), Array.from({ length: repeat }, () => once).flat())
  }
})

test('the few re-encoded frames look like those of the preview', async () => {
  const input = await media.make('busy.mp4', [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=30:d=3', ...X264],
  ])
  const busy = await tools.prepare(input)
  const { clip } = await tools.shoot(busy, { start: 1 / 30, end: 1 })
  // The preview is seeked to the clip's first frame; 13 frames of the clip are re-encoded.
  const log = await mustRun(ffmpegPath, [
    ...['-v', 'error', '-i', clip, '-i', busy.path, '-filter_complex'],
    '[1:v]trim=start_frame=1,setpts=PTS-STARTPTS[p];[0:v][p]psnr=stats_file=-:shortest=1',
    ...['-f', 'null', '-'],
  ])
  const levels = [...log.toString().matchAll(/psnr_avg:(\S+)/g)].map(([, level]) => Number(level))
  assert.ok(
    levels.slice(0, 13).every((level) => level > 38),
    `${levels.slice(0, 13)}`,
  )
  assert.ok(levels.slice(13, 29).every((level) => level === Number.POSITIVE_INFINITY || Number.isNaN(level)))
})

test('sound that ends before the range does, or begins after it, harms nothing', async () => {
  const early = ['-f', 'lavfi', '-i', 'sine=d=1', ...X264, '-c:a', 'aac']
  const late = ['-itsoffset', '2', '-f', 'lavfi', '-i', 'sine=d=1', ...X264, '-c:a', 'aac']
  for (const [name, sound] of Object.entries({ early, late })) {
    const made = await tools.prepare(await makeCoded(media, `${name}.mp4`, [90], sound))
    assert.ok(made.hasAudio)
    for (const speed of [0.5, 1, 2]) {
      const shot = await tools.shoot(made, { start: 1.2, end: 1.8, speed })
      const shown = await readNumbers(shot.clip)
      assert.equal(shown, expectedFrames(36, 18, speed), `${name}, ${speed}`)
      const sound = await soundOf(shot.clip)
      assert.ok(Math.abs(sound.length / SAMPLE_RATE - 18 / 30 / speed) < 0.03, 'as long as the picture')
      assert.ok(loudness(sound) < 0.01, 'and silent')
    }
  }
})

/** A flash of white and a beep at 1, 2, 3, 4 and 5 s. */
async function flashes(): Promise<Prepared> {
  const at = (time: string) => `lt(mod(${time},1),0.1)*gte(${time},0.9)`
  return tools.prepare(
    await media.make('flashes.mp4', [
      ...['-f', 'lavfi', '-i', 'color=black:s=64x48:r=30:d=6'],
      ...['-f', 'lavfi', '-i', `aevalsrc='sin(2*PI*1000*t)*${at('t')}':s=48000:d=6`],
      ...['-vf', `geq=lum='16+219*${at('T')}':cb=128:cr=128`, ...X264, '-c:a', 'aac'],
    ]),
  )
}

test('sound and picture stay together, at any speed', async () => {
  const made = await flashes()
  for (const [speed, start] of [
    [1, 0.517],
    [2, 0.5],
    [0.25, 0.7],
    [5, 0],
  ] as const) {
    const shot = await tools.shoot(made, { start, end: 5.5, speed })
    const beeps = onsetsOf(await soundOf(shot.clip))
    const lights = await lightsOf(shot.clip)
    assert.is(beeps.length, 5, `beeps ${beeps}`)
    assert.is(lights.length, 5, `flashes ${lights}`)
    lights.forEach((light, index) => {
      const beep = beeps[index] ?? 0
      assert.ok(
        Math.abs(beep - light) <= AAC_FRAME_SECONDS,
        `speed ${speed}: flash at ${light} s, beep at ${beep} s`,
      )
      const wanted = (index + 1 - start) / speed
      assert.ok(
        Math.abs(light - wanted) <= 1 / 30 + 0.001,
        `speed ${speed}: flash at ${light}, not ${wanted}`,
      )
    })
  }
})

/** A player plays at least this much of the sound, or nothing. */
const AAC_FRAME_SECONDS = 1024 / 48_000

/** Seconds at which a video turns from black to white. */
async function lightsOf(video: string): Promise<number[]> {
  const levels = await ffmpeg(['-i', video, '-vf', 'scale=1:1,format=gray', '-f', 'rawvideo', 'pipe:1'])
  const packets = await packetsOf(video)
  return [...levels].flatMap((level, frame) =>
    level > 128 && (levels[frame - 1] ?? 0) <= 128 ? [packets[frame]?.pts ?? 0] : [],
  )
}

test('the cover is the frame that the presentation timestamp names', async () => {
  for (const [speed, cover] of [
    [0.7, 1.9],
    [0.1, 1.5],
    [3, 2.2],
    [1, 4.99],
  ] as const) {
    const range = speed < 0.2 ? { start: 1.4, end: 1.8 } : { start: 1, end: 5 }
    const shot = await tools.shoot(prepared, { ...range, speed, cover })
    const [shown = -1] = await readNumbers(shot.path)
    assert.is(shown, Math.floor(cover * 30 + 1e-3))
    const timestamp = Number(shot.read.xmp?.presentationTimestampUs)
    const frame = (await packetsOf(shot.clip)).findIndex(({ pts }) => Math.abs(pts - timestamp / 1e6) < 1e-5)
    assert.is((await readNumbers(shot.clip))[frame], shown, `speed ${speed}`)
  }
})

test.run()
