import * as assert from 'uvu/assert'
import { readMovie } from '#core/media/mp4/movie'
import { codedInput, readNumbers } from '#support/media/codedPictures'
import { ffmpeg, ffprobe, frameTypesOf, openMediaFolder, packetsOf, withFfprobe } from '#support/media/media'
import { createMediaTools, type Prepared, refusalOf } from '#support/media/mediaTools'
import { frequencyOf, loudness, onsetsOf, SAMPLE_RATE, soundOf } from '#support/media/sound'
import { suite } from '#support/runner/suite'

// Every picture bears the number of its frame in the preview, and the sound is a tone.

const test = suite('clips', { timeoutMs: 120_000 })
const judged = test.skipUnless(...withFfprobe)
const media = await openMediaFolder()
const tools = createMediaTools(media)
const SECONDS = 8
const X264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p'.split(' ')

let prepared: Prepared
test.before(async () => {
  const { args, stdin } = codedInput(SECONDS * 30)
  const tone = ['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${SECONDS}`]
  prepared = await tools.prepare(
    await media.make('numbers.mp4', [...args, ...tone, ...X264, '-c:a', 'aac'], stdin),
  )
  assert.is(prepared.frames, SECONDS * 30)
})
test.after(() => media.remove())

/** Which frame of the preview stands at each frame of the clip. */
function expectedFrames(start: number, clipFrames: number, sourceFrames: number, speed: number): number[] {
  return Array.from({ length: clipFrames }, (_, frame) => {
    // Faster: the newest that has begun. Slower: each stands at the frame that is nearest to its time.
    const newest = speed > 1 ? Math.floor(frame * speed + 1e-6) : Math.ceil((frame + 0.5) * speed - 1e-6) - 1
    return start + Math.min(newest, sourceFrames - 1)
  })
}

for (const [speed, rangeStart, rangeEnd] of [
  [0.1, 2.5, 3],
  [0.25, 1, 2.2],
  [0.5, 1.1, 3.3],
  [0.7, 2, 4],
  [1, 0, SECONDS],
  [1, 1.234, 4.567],
  [1.5, 1, 5.5],
  [2, 0.5, 6.5],
  [3, 1.7, 7.7],
  [10, 0, SECONDS],
] as const) {
  const title = `${rangeStart} s to ${rangeEnd} s at speed ${speed}`
  judged(`${title}: exact length, the right pictures, the pitch kept`, async () => {
    const shot = await tools.shoot(prepared, { rangeStart, rangeEnd, speed, coverTime: rangeStart })
    const seconds = (rangeEnd - rangeStart) / speed
    const { streams, format } = await ffprobe(shot.clip)
    assert.ok(Math.abs(Number(format.duration) - seconds) <= 1 / 30 + 0.001, `${format.duration} s`)
    for (const { codec_type, start_time, duration } of streams) {
      assert.ok(Math.abs(Number(duration) - seconds) <= 1 / 30 + 0.001, `${codec_type}: ${duration} s`)
      assert.is(Number(start_time), 0, codec_type)
    }
    assert.equal([streams[0]?.r_frame_rate, streams[0]?.avg_frame_rate], ['30/1', '30/1'])
    assert.is(Number(streams[0]?.nb_frames), Math.round(seconds * 30))

    const shown = await readNumbers(shot.clip)
    const start = Math.floor(rangeStart * 30 + 1e-3)
    const sourceFrames = Math.round((rangeEnd - rangeStart) * 30)
    assert.equal(shown, expectedFrames(start, shown.length, sourceFrames, speed))
    assert.is(shown[0], start, 'the first')
    assert.ok(start + sourceFrames - (shown.at(-1) ?? 0) <= Math.ceil(speed), 'the last')

    const sound = await soundOf(shot.clip)
    assert.ok(Math.abs(sound.length / SAMPLE_RATE - seconds) < 0.05)
    const middle = sound.subarray(0.1 * SAMPLE_RATE, (seconds - 0.1) * SAMPLE_RATE)
    assert.ok(Math.abs(frequencyOf(middle) / 440 - 1) < 0.02, `${frequencyOf(middle)} Hz`)
    assert.ok(loudness(middle) > 0.04)
  })
}

judged('a clip is as the preview is: baseline, level 3.1, groups of 15, index first', async () => {
  const shot = await tools.shoot(prepared, { rangeStart: 1, rangeEnd: 3 })
  const [video, audio] = (await ffprobe(shot.clip)).streams
  assert.match(String(video?.profile), /Baseline/)
  assert.equal([video?.level, video?.pix_fmt, video?.has_b_frames], [31, 'yuv420p', 0])
  assert.equal([video?.color_space, video?.color_range], ['bt709', 'tv'])
  assert.equal([audio?.codec_name, audio?.profile, audio?.sample_rate], ['aac', 'LC', '48000'])
  assert.is(await frameTypesOf(shot.clip), 'IPPPPPPPPPPPPPP'.repeat(4))
  assert.ok((await packetsOf(shot.clip)).every(({ isKey }, index) => isKey === (index % 15 === 0)))
  const bytes = shot.photo.subarray(shot.read.clip?.offset ?? 0)
  assert.ok(readMovie(bytes.subarray(0, shot.read.clip?.length)).movie?.isFastStart)
})

test('muted, there is no sound; nor is there where the preview has none', async () => {
  const muted = await tools.shoot(prepared, { rangeStart: 1, rangeEnd: 2 }, { mute: true })
  const { args, stdin } = codedInput(30)
  const silent = await tools.prepare(await media.make('silent.mp4', [...args, ...X264], stdin))
  for (const { photo, read } of [muted, await tools.shoot(silent)]) {
    const { offset = 0, length = 0 } = read.clip ?? {}
    const { movie } = readMovie(photo.subarray(offset, offset + length))
    assert.equal(
      movie?.tracks.map(({ kind }) => kind),
      ['video'],
    )
    assert.is(movie?.tracks[0]?.samples.count, 30)
  }
})

test('sound that ends before the range does, or begins after it, harms nothing', async () => {
  const { args, stdin } = codedInput(90)
  const early = ['-f', 'lavfi', '-i', 'sine=d=1', ...X264, '-c:a', 'aac']
  const late = ['-itsoffset', '2', '-f', 'lavfi', '-i', 'sine=d=1', ...X264, '-c:a', 'aac']
  for (const [name, sound] of Object.entries({ early, late })) {
    const made = await tools.prepare(await media.make(`${name}.mp4`, [...args, ...sound], stdin))
    assert.ok(made.hasAudio)
    for (const speed of [0.5, 1, 2]) {
      const shot = await tools.shoot(made, { rangeStart: 1.2, rangeEnd: 1.8, speed })
      const shown = await readNumbers(shot.clip)
      assert.equal(shown, expectedFrames(36, Math.round(18 / speed), 18, speed), `${name}, ${speed}`)
      const sound = await soundOf(shot.clip)
      assert.ok(Math.abs(sound.length / SAMPLE_RATE - shown.length / 30) < 0.03, 'as long as the picture')
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
  for (const [speed, rangeStart] of [
    [1, 0],
    [1, 0.517],
    [2, 0],
    [2, 0.5],
    [0.5, 0.5],
  ] as const) {
    const shot = await tools.shoot(made, { rangeStart, rangeEnd: 5.5, speed })
    const beeps = onsetsOf(await soundOf(shot.clip))
    const lights = await lightsOf(shot.clip)
    assert.is(beeps.length, 5, `beeps ${beeps}`)
    assert.is(lights.length, 5, `flashes ${lights}`)
    lights.forEach((light, index) => {
      const beep = beeps[index] ?? 0
      // A tempo changed to half lets a beep be heard a little before it is meant to be.
      assert.ok(
        Math.abs(beep - light) <= (speed < 1 ? 0.07 : 0.04),
        `speed ${speed}: flash at ${light} s, beep at ${beep} s`,
      )
      const wanted = (index + 1 - rangeStart) / speed
      assert.ok(
        Math.abs(light - wanted) <= 1 / 30 + 0.001,
        `speed ${speed}: flash at ${light}, not ${wanted}`,
      )
    })
  }
})

/** Seconds at which a video turns from black to white. */
async function lightsOf(video: string): Promise<number[]> {
  const levels = await ffmpeg(['-i', video, '-vf', 'scale=1:1,format=gray', '-f', 'rawvideo', 'pipe:1'])
  return [...levels].flatMap((level, frame) =>
    level > 128 && (levels[frame - 1] ?? 0) <= 128 ? [frame / 30] : [],
  )
}

test('the cover is the frame that the presentation timestamp names', async () => {
  for (const [speed, coverTime] of [
    [1, 2.5],
    [0.5, 2.6],
    [0.7, 1.9],
    [0.1, 1.5],
    [2, 3],
    [3, 2.2],
    [1, 4.99],
  ] as const) {
    const range = speed < 0.2 ? { rangeStart: 1.4, rangeEnd: 1.8 } : { rangeStart: 1, rangeEnd: 5 }
    const shot = await tools.shoot(prepared, { ...range, speed, coverTime })
    const [cover = -1] = await readNumbers(shot.path)
    assert.is(cover, Math.floor(coverTime * 30 + 1e-3))
    const timestamp = Number(shot.read.xmp?.presentationTimestampUs)
    const frame = (timestamp * 30) / 1e6
    assert.ok(Math.abs(frame - Math.round(frame)) < 1e-4, 'it is on a frame')
    const seen = (await readNumbers(shot.clip))[Math.round(frame)] ?? -1
    // Faster clips leave frames out; then the nearest one is named.
    assert.ok(
      Math.abs(seen - cover) <= Math.max(0, Math.ceil(speed / 2) - (speed <= 1 ? 1 : 0)),
      `speed ${speed}: ${seen}, ${cover}`,
    )
  }
})

test('a range that cannot be is refused with words about it', async () => {
  for (const [request, words] of [
    [{ rangeStart: 3, rangeEnd: 2 }, 'range_start'],
    [{ rangeStart: 0, rangeEnd: 9 }, 'range_end'],
    [{ speed: 0.01 }, 'speed'],
    [{ coverTime: 20 }, 'cover_time'],
    [{ speed: 0.1 }, '60 s'],
  ] as const) {
    const { status, detail } = await refusalOf(
      tools.shoot(prepared, request).catch((error) => {
        // The words begin with the field's name.
        throw Object.assign(error, { detail: `The ${error.detail}` })
      }),
    )
    assert.is(status, 400)
    assert.match(detail, words)
  }
})

test.run()
