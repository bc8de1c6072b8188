import { codedInput, makeCoded, readNumbers } from '#support/media/codedPictures'
import {
  ffmpeg,
  ffprobe,
  mediaFolderOfSuite,
  packetsOf,
  withEncoder,
  withFfprobe,
} from '#support/media/media'
import { createMediaTools } from '#support/media/mediaTools'
import { loudness, SAMPLE_RATE, soundOf } from '#support/media/sound'
import { assert, suite } from '#support/runner/suite'

// Every picture bears a number, so that one can tell which picture of the upload stands at which time of the preview.

const test = suite('time in previews', { timeoutMs: 60_000 })
const judged = test.skipUnless(...withFfprobe)
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '20', '-pix_fmt', 'yuv420p']
const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, at) => first + at)

/** Pictures numbered from 0 at a rate. */
async function coded(
  name: string,
  count: number,
  rate: number | string,
  args: readonly string[] = X264,
): Promise<string> {
  return makeCoded(media, name, [count, rate], args)
}

test('at 30 pictures a second every picture is there once', async () => {
  const made = await tools.prepare(await coded('30.mp4', 50, 30))
  assert.is(made.frames, 50)
  assert.equal(await readNumbers(made.path), numbers(50))
})

for (const rate of [10, 24, 50, 240]) {
  test(`at ${rate} a second the nearest picture is shown and the length stays`, async () => {
    const made = await tools.prepare(await coded(`${rate}.mp4`, rate, rate))
    assert.ok(Math.abs(made.frames - 30) <= 1, `${made.frames} frames`)
    const shown = await readNumbers(made.path)
    // Within half a frame of the preview, which is what rounding to its grid costs.
    shown.forEach((number, frame) => {
      const begins = (number / rate) * 30
      const ends = ((number + 1) / rate) * 30
      assert.ok(begins <= frame + 0.51 && ends >= frame + 0.49, `picture ${number} at frame ${frame}`)
    })
  })
}

test('29.97 a second runs for ten seconds without drifting', async () => {
  const made = await tools.prepare(await coded('ntsc.mp4', 300, '30000/1001'))
  assert.ok(Math.abs(made.frames - 300.3) <= 1, `${made.frames} frames`)
  const shown = await readNumbers(made.path)
  shown.forEach((number, frame) => {
    assert.ok(Math.abs((number * 1001) / 30000 - frame / 30) <= 1 / 30, `picture ${number} at frame ${frame}`)
  })
})

for (const container of ['mp4', 'webm']) {
  const codec = container === 'webm' ? ['-c:v', 'libvpx', '-deadline', 'realtime', '-b:v', '1M'] : X264
  const needs = withEncoder(...(container === 'webm' ? ['libvpx'] : []))
  test.skipUnless(...needs)(
    `a variable rate in ${container} becomes a constant one, each picture at its time`,
    async () => {
      const jitter = "select='eq(n,0)+lt(random(7),0.15)',setpts=PTS"
      const upload = await coded(`jitter.${container}`, 360, 120, [
        '-vf',
        jitter,
        '-fps_mode',
        'vfr',
        ...codec,
      ])
      const begins = await readNumbers(upload)
      assert.ok(begins.length > 30 && begins.length < 90 && begins[0] === 0)
      const made = await tools.prepare(upload)
      const shown = await readNumbers(made.path)
      assert.is(shown.length, made.frames)
      shown.forEach((number, frame) => {
        // The last that had begun, give or take a millisecond of the container at the rounding.
        const candidates = [-0.031, 0, 0.031].map((shift) =>
          begins.filter((begin) => (begin / 120) * 30 < frame + 0.5 + shift + 1e-9).at(-1),
        )
        assert.ok(candidates.includes(number), `frame ${frame} shows ${number}, expected ${candidates}`)
      })
      const last = begins.at(-1) ?? 0
      assert.ok(made.frames >= Math.floor((last / 120) * 30), 'to the last picture')
      assert.ok(made.frames <= 91)
    },
  )
}

judged('the last picture of a variable rate stands as long as the file says', async () => {
  const even = await coded('even.mp4', 30, 30, [
    ...['-vf', "setpts='if(lt(N,15),N,15+(N-15)*2)/30/TB'", '-fps_mode', 'vfr', ...X264, '-bf', '0'],
  ])
  const lasting = media.path('lasting.mp4')
  const second = "setts=duration='if(eq(N,29),1/TB,DURATION)'"
  await ffmpeg(['-i', even, '-c', 'copy', '-bsf:v', second, lasting])
  // 15 pictures of a frame, 14 of two, and the last one of a second.
  const made = await tools.prepare(lasting)
  assert.is(made.frames, 15 + 14 * 2 + 30)
  assert.equal((await readNumbers(made.path)).slice(-31), [28, ...Array(30).fill(29)])
})

judged('pictures that begin late stand from the first moment', async () => {
  const sound = ['-f', 'lavfi', '-i', 'sine=d=2']
  const upload = await makeCoded(
    media,
    'late.mp4',
    [30, 30],
    [...sound, '-vf', 'setpts=PTS+1/TB', '-fps_mode', 'passthrough', ...X264, '-c:a', 'aac'],
  )
  const made = await tools.prepare(upload)
  assert.is(made.frames, 60)
  assert.equal(await readNumbers(made.path), [...Array(30).fill(0), ...numbers(30)])
  const { streams } = await ffprobe(made.path)
  assert.ok(streams.every(({ start_time }) => Math.abs(Number(start_time)) < 0.03))
})

judged('sound that begins late stays late', async () => {
  const sound = ['-itsoffset', '0.7', '-f', 'lavfi', '-i', 'sine=d=1.3']
  for (const [name, codec] of [
    ['late-aac.mp4', 'aac'],
    ['late-mp3.mkv', 'libmp3lame'],
  ] as const) {
    const made = await tools.prepare(await makeCoded(media, name, [60], [...sound, ...X264, '-c:a', codec]))
    assert.is(made.frames, 60)
    const samples = await soundOf(made.path)
    assert.ok(loudness(samples.subarray(0, 0.66 * SAMPLE_RATE)) < 0.005, 'silence first')
    assert.ok(loudness(samples.subarray(0.75 * SAMPLE_RATE, 1.2 * SAMPLE_RATE)) > 0.05, 'then sound')
  }
})

judged('a transport stream that does not begin at 0 does', async () => {
  const upload = await coded('offset.ts', 45, 30, [...X264, '-output_ts_offset', '3600', '-f', 'mpegts'])
  assert.ok(Number((await packetsOf(upload))[0]?.pts) > 3000)
  const made = await tools.prepare(upload)
  assert.equal(await readNumbers(made.path), numbers(45))
  assert.is((await packetsOf(made.path))[0]?.pts, 0)
})

for (const codec of ['aac', 'libmp3lame']) {
  judged(`sound (${codec}) that outlasts the pictures is cut off with them`, async () => {
    const sound = ['-f', 'lavfi', '-i', 'sine=d=5']
    const upload = await makeCoded(media, `long-${codec}.mp4`, [40, 30], [...sound, ...X264, '-c:a', codec])
    const made = await tools.prepare(upload)
    assert.is(made.frames, 40)
    assert.equal(await readNumbers(made.path), numbers(40))
    const { streams, format } = await ffprobe(made.path)
    assert.ok(Math.abs(Number(format.duration) - 40 / 30) < 0.1, format.duration)
    assert.is(Number(streams[0]?.nb_frames), 40)
    assert.ok(made.hasAudio)
  })
}

judged('sound that ends early leaves the length to the pictures', async () => {
  const upload = await makeCoded(
    media,
    'short.mp4',
    [60],
    ['-f', 'lavfi', '-i', 'sine=d=0.5', ...X264, '-c:a', 'aac'],
  )
  const made = await tools.prepare(upload)
  assert.is(made.frames, 60)
  assert.ok(Math.abs(Number((await ffprobe(made.path)).format.duration) - 2) < 0.05)
})

test('pictures in another order than they are decoded come in the right one', async () => {
  const b = '-c:v libx264 -preset veryfast -bf 3 -g 40 -x264-params open-gop=1:b-pyramid=normal'.split(' ')
  const made = await tools.prepare(await coded('b.mp4', 60, 30, [...b, '-pix_fmt', 'yuv420p']))
  assert.equal(await readNumbers(made.path), numbers(60))
})

test('an edit list that begins in the middle is obeyed', async () => {
  const whole = await coded('whole.mp4', 60, 30, [...X264, '-g', '60', '-bf', '0'])
  // Cut by copying at 0.5 s: the pictures before it stay in the file and the edit list hides them.
  const upload = await media.make('edited.mp4', [
    ...['-ss', '0.5', '-i', whole],
    ...'-c copy -avoid_negative_ts disabled'.split(' '),
  ])
  const made = await tools.prepare(upload)
  assert.equal(await readNumbers(made.path), numbers(45, 15))
})

test('what lies behind MAX_INPUT_SECONDS is cut off', async () => {
  const short = createMediaTools(media, { limits: { maxInputSeconds: 2 } })
  const { args, stdin } = codedInput(150, 30)
  const sound = ['-f', 'lavfi', '-i', 'sine=d=5']
  for (const [name, codec] of [
    ['cut.mp4', ['-c:a', 'aac']],
    ['cut.mkv', ['-c:a', 'pcm_s16le']],
  ] as const) {
    const made = await short.prepare(await media.make(name, [...args, ...sound, ...X264, ...codec], stdin))
    assert.is(made.frames, 60)
    assert.equal(await readNumbers(made.path), numbers(60))
  }
  const gif = await media.make('cut.gif', [...codedInput(60, 10).args, '-f', 'gif'], codedInput(60, 10).stdin)
  assert.is((await short.prepare(gif)).frames, 60)
})

test('one picture makes a video', async () => {
  for (const name of ['one.mp4', 'one.mkv', 'one.ts', 'one.avi']) {
    const made = await tools.prepare(await coded(name, 1, 30))
    assert.ok(made.frames >= 1 && made.frames <= 2, `${name}: ${made.frames}`)
  }
})

test.run()
