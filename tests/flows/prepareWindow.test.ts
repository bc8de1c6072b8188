import { createFfmpeg } from '@lantern-room/adapters/ffmpeg'
import { codedInput, makeCoded, makeCodedWebp, readNumbers } from '#support/media/codedPictures'
import { B_FRAMES, CONTAINERS, X264 } from '#support/media/containers'
import { ffmpeg, ffmpegPath, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { createMediaTools, refusalOf } from '#support/media/mediaTools'
import type { Window } from '#support/media/prepared'
import { onsetsOf, SAMPLE_RATE, soundOf } from '#support/media/sound'
import { assert, suite } from '#support/runner/suite'

// A preview of a part shows the pictures that a preview of the whole has there, and covers are still taken from the
// right place of the original.

const test = suite('windows of uploads', { timeoutMs: 120_000 })
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

const part = (from: number, to?: number): { window: Window } => ({ window: { from, to, mustFit: true } })

/** Compares some windows with the whole, and the covers of their middle. @returns the whole, and the numbers that it shows */
async function sameInWindows(upload: string, windows: readonly (readonly [number, number])[]) {
  const whole = await tools.prepare(upload)
  const shown = await readNumbers(whole.path)
  for (const [from, to] of windows) {
    const made = await tools.prepare(upload, part(from, to))
    const first = Math.floor(from * 30 + 1e-3)
    const end = Math.min(shown.length, Math.ceil(to * 30 - 1e-3))
    assert.equal(await readNumbers(made.path), shown.slice(first, end), `from ${from} to ${to}`)
    assert.is(made.original.firstFrame, first)
    const middle = Math.floor(made.frames / 2)
    const shot = await tools.shoot(made, { cover: middle / 30 })
    assert.equal(await readNumbers(shot.path), [shown[first + middle]], `the cover of ${from} to ${to}`)
  }
  return { whole, shown }
}

/** Of the others each has what one of these has, and something else. */
const ORDINARY = ['MP4', 'MP4 at 24 a second', 'MKV', 'MPEG transport stream']
for (const [name, { file, rate = 30, args, needs }] of Object.entries(CONTAINERS)) {
  if (ORDINARY.includes(name)) continue
  test.skipUnless(...withEncoder(needs))(
    `${name}: a part is the same as that part of the whole, and covers are what it shows`,
    async () => {
      // Where there is no index, the second try starts ten seconds before the part, not at the beginning.
      const from = /\.(mp4|mov|mkv)$/.test(file) ? 3.05 : 11.05
      const upload = await makeCoded(media, file, [rate * Math.ceil(from + 1), rate], args)
      await sameInWindows(upload, [[from, from + 0.55]])
    },
  )
}

const HEVC = '-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=30'.split(' ')
const MPEG2 = ['-c:v', 'mpeg2video', '-q:v', '2', '-g', '15']
/** By so many pictures the sound of the first recording is longer than its pictures. */
const LATE = 9
const SINE = ['-f', 'lavfi', '-i', `sine=d=${(120 + LATE) / 30}`]
/** Two recordings in one file: the last argument of each is its format. */
const JOINED: Readonly<
  Record<
    string,
    { readonly first: readonly string[]; readonly second?: readonly string[]; readonly needs?: string }
  >
> = {
  'back to its beginning': { first: [...X264, '-g', '30', '-f', 'mpegts'] },
  'back, in HEVC with sound': {
    first: [...SINE, ...HEVC, '-c:a', 'aac', '-f', 'mpegts'],
    needs: 'libx265',
  },
  'ahead by a day, with sound': {
    first: [...SINE, ...X264, '-c:a', 'aac', '-f', 'mpegts'],
    second: [...SINE, ...X264, '-c:a', 'aac', '-output_ts_offset', '95000', '-f', 'mpegts'],
  },
  'back, with AC-3': {
    first: [...SINE, ...X264, '-c:a', 'ac3', '-output_ts_offset', '500', '-f', 'mpegts'],
    second: [...SINE, ...X264, '-c:a', 'ac3', '-f', 'mpegts'],
    needs: 'ac3',
  },
  'back, in a program stream': { first: [...SINE, ...MPEG2, '-c:a', 'mp2', '-f', 'mpeg'] },
}
for (const [name, { first, second = first, needs }] of Object.entries(JOINED)) {
  test.skipUnless(...withEncoder(needs))(`where a clock jumps ${name}, the pictures go on`, async () => {
    const recording = (frames: string, args: readonly string[]) => {
      const { args: input, stdin } = codedInput(360, 30)
      return ffmpeg(
        [
          ...input,
          ...args.slice(0, -2),
          '-vf',
          `trim=${frames},setpts=PTS-STARTPTS`,
          ...args.slice(-2),
          'pipe:1',
        ],
        stdin,
      )
    }
    const parts = [await recording('end_frame=120', first), await recording('start_frame=120', second)]
    const upload = await media.write('joined.ts', Buffer.concat(parts))
    const { whole, shown } = await sameInWindows(upload, [
      [3.8, 4.3],
      [10.9, 11.3],
    ])
    for (const frame of [60, 119, 150, 300]) {
      const number = shown[frame] ?? 0
      const late = frame - number
      assert.ok(
        late >= -2 && late <= 2 + (first.includes('-i') ? LATE : 0),
        `picture ${number} at frame ${frame}`,
      )
    }
    const shot = await tools.shoot(whole, { start: 5, end: 6, cover: 5 })
    assert.equal(await readNumbers(shot.path), [shown[150]])
  })
}

test('an animated image in parts, up to its end', async () => {
  const gif = await makeCoded(media, 'numbers.gif', [20, 10])
  await sameInWindows(gif, [
    [0.52, 1.4],
    [1.7, 2],
  ])
  await sameInWindows(await makeCodedWebp(media, 'numbers.webp', [100, 500, 40, 1000, 200]), [
    [0.55, 0.7],
    [1.5, 1.84],
  ])
})

test('an original whose picture has transparency and one that is interlaced have parts, too', async () => {
  const { args, stdin } = codedInput(90, 30)
  const alpha = [...args, '-pix_fmt', 'yuva444p10le', '-c:v', 'prores_ks', '-profile:v', '4444']
  await sameInWindows(await media.make('alpha.mov', alpha, stdin), [[1.2, 2]])
  const fields = '-c:v mpeg2video -q:v 2 -flags +ildct+ilme -g 12'.split(' ')
  await sameInWindows(await media.make('fields.ts', [...args, ...fields], stdin), [[1.2, 2]])
})

test('the sound of a part is that of its pictures', async () => {
  // A beep in the first 100 ms of every second.
  const beeps = ['-f', 'lavfi', '-i', "aevalsrc='sin(2000*t)*lt(mod(t,1),0.1)':s=48000:d=13"]
  for (const [name, codec] of [
    ['sound.mp4', ['-c:a', 'aac']],
    ['sound.ts', ['-c:a', 'mp2', '-output_ts_offset', '100']],
  ] as const) {
    const upload = await makeCoded(media, name, [390, 30], [...beeps, ...B_FRAMES, ...codec])
    for (const [from, to, beepAt] of [
      [1.5, 3.4, 0.5],
      [11.7, 12.8, 0.3],
    ] as const) {
      const made = await tools.prepare(upload, part(from, to))
      assert.ok(made.hasAudio)
      const sound = await soundOf(made.path)
      const length = sound.length / SAMPLE_RATE
      assert.ok(
        Math.abs(length - made.frames / 30) < 0.1,
        `${name}: ${length} s of sound for ${made.frames} frames`,
      )
      const [onset = Number.NaN] = onsetsOf(sound).filter((seconds) => seconds > 0.1)
      assert.ok(Math.abs(onset - beepAt) < 0.03, `${name} from ${from}: a beep at ${onset}`)
    }
  }
})

test('a part without an end goes to the end, and the length of the whole is told', async () => {
  const made = await tools.prepare(await makeCoded(media, 'rest.mp4', [120, 30], X264), part(3))
  assert.equal([made.frames, made.sourceSeconds], [30, 4])
  const limited = createMediaTools(media, { limits: { maxInputSeconds: 1 } })
  assert.is((await limited.prepare(made.upload, part(2.5))).frames, 30)
})

test('what lies outside of the upload is refused by name', async () => {
  const sound = ['-f', 'lavfi', '-i', 'sine=d=5', '-c:a', 'aac']
  const video = await makeCoded(media, 'short.mp4', [60], X264)
  const gif = await makeCoded(media, 'short.gif', [60])
  for (const upload of [video, gif]) {
    const before = await refusalOf(tools.prepare(upload, part(2, 3)))
    assert.equal(before, { status: 422, detail: 'from must lie before the end of the file (2.000 s).' })
    const after = await refusalOf(tools.prepare(upload, part(1, 3)))
    assert.equal(after, { status: 422, detail: 'to must not lie after the end of the file (2.000 s).' })
  }
  for (const from of [2.5, 4.9]) {
    const longer = await makeCoded(media, 'longer.mp4', [60], [...sound, ...X264])
    const { status, detail } = await refusalOf(tools.prepare(longer, part(from)))
    assert.is(status, 422)
    assert.match(detail, /^from must lie before the end of the file/)
  }
  const live = await makeCoded(media, 'live.mkv', [60], [...X264, '-f', 'matroska', '-live', '1'])
  assert.is((await refusalOf(tools.prepare(live, part(30, 31)))).status, 422)
})

test('an hour into a file a part takes as long as elsewhere', async () => {
  const twelve = await makeCoded(media, 'twelve.mp4', [60, 5], [...X264, '-g', '30'])
  await ffmpeg(['-stream_loop', '300', '-i', twelve, '-c', 'copy', '-y', media.path('hour.mp4')])
  const made = await tools.prepare(media.path('hour.mp4'), part(3601, 3602))
  assert.equal(
    await readNumbers(made.path),
    Array.from({ length: 30 }, (_, frame) => 5 + Math.floor(frame / 6)),
  )
})

test('a stream with so many packets that their list is too long is read from its beginning', async () => {
  const path = await makeCoded(media, 'many.ts', [60], [...X264, '-f', 'mpegts'])
  const asIs = createFfmpeg({ path: ffmpegPath })
  const limited: typeof asIs = {
    ...asIs,
    run: (asked) => asIs.run({ ...asked, ...(asked.args.includes('framecrc') && { maxOutputBytes: 1000 }) }),
  }
  for (const [program, isSeekable] of [
    [asIs, true],
    [limited, false],
  ] as const) {
    const { original } = await createMediaTools(media, { ffmpeg: program }).prepare(path)
    assert.is(original.isSeekable, isSeekable)
  }
})

test.run()
