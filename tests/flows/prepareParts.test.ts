import { readFile } from 'node:fs/promises'
import { createFfmpeg } from '#core/adapters/ffmpeg/ffmpeg'
import { readIndex } from '#core/formats/mp4/readIndex'
import type { Track } from '#core/formats/mp4/track'
import { bytesSource } from '#core/formats/source/byteSource'
import type { Ffmpeg, FfmpegTask } from '#core/media/ports'
import { staysFilled } from '#core/media/prepare/joinParts'
import { makeCoded, readNumbers } from '#support/media/codedPictures'
import { B_FRAMES, X264 } from '#support/media/containers'
import { ffmpeg, ffmpegPath, mediaFolderOf } from '#support/media/media'
import { createMediaTools, type Prepared } from '#support/media/mediaTools'
import { onsetsOf, SAMPLE_RATE, soundOf } from '#support/media/sound'
import { assert, suite } from '#support/runner/suite'

// A preview that several processes made is the one that a single process makes.

const test = suite('previews in parts', { timeoutMs: 400_000 })
const media = await mediaFolderOf(test)
const real = createFfmpeg({ path: ffmpegPath })
const one = createMediaTools(media)

/** An ffmpeg that counts, and in which some runs can go wrong. */
function watched(change: (task: FfmpegTask) => FfmpegTask = (task) => task) {
  const encoders: string[] = []
  let running = 0
  let most = 0
  const tool: Ffmpeg = {
    ...real,
    async run(task) {
      const args = task.args.join(' ')
      if (args.includes('libx264')) encoders.push(args)
      running += 1
      most = Math.max(most, running)
      return real.run(change(task)).finally(() => {
        running -= 1
      })
    },
  }
  const seen = () => ({ encoders, running, most })
  return { tools: createMediaTools(media, { ffmpeg: tool, prepareProcesses: 3 }), seen }
}

async function tracksOf({ path }: Prepared): Promise<{ video: Track; audio: Track | undefined }> {
  const { movie } = await readIndex(bytesSource(await readFile(path)))
  const video = movie?.tracks.find(({ kind }) => kind === 'video')
  if (!movie || !video) throw new Error('no picture')
  assert.ok(movie.isFastStart)
  return { video, audio: movie.tracks.find(({ kind }) => kind === 'audio') }
}

const BEEPS = ['-f', 'lavfi', '-i', "aevalsrc='sin(2000*t)*lt(mod(t,1),0.1)':s=48000:d=61"]

/** A minute of numbered pictures, and a beep in the first 100 ms of every second. */
async function minute(name: string, rate: number, codec: readonly string[]): Promise<string> {
  return makeCoded(media, name, [rate * 60, rate], [...BEEPS, ...codec])
}

const AAC = ['-c:a', 'aac', '-t', '60']

for (const [name, file, rate, codec] of [
  ['MP4, sound copied', 'a.mp4', 30, [...X264, '-g', '47', ...AAC]],
  ['MP4, B-frames, 25 a second', 'b.mp4', 25, [...B_FRAMES, ...AAC]],
  ['MKV, sound encoded', 'c.mkv', 30, [...B_FRAMES, '-c:a', 'libopus', '-ac', '2', '-t', '60']],
  [
    'a variable rate, up to 33 a second',
    'd.mp4',
    33,
    ['-vf', "select='eq(n,0)+lt(random(3),0.4)'", '-fps_mode', 'vfr', ...B_FRAMES, ...AAC],
  ],
] as const) {
  test(`${name}: pictures, times, sound and filmstrip are those of one process`, async () => {
    const upload = await minute(file, rate, codec)
    const { tools, seen } = watched()
    const whole = await one.prepare(upload)
    const joined = await tools.prepare(upload)
    assert.is(seen().encoders.length, 3)
    assert.ok(seen().most >= 3, 'side by side')

    const { path: _, upload: __, strip, ...traits } = joined
    const { path: ___, upload: ____, strip: wholeStrip, ...wholeTraits } = whole
    assert.equal(traits, wholeTraits)
    assert.equal(await readNumbers(joined.path), await readNumbers(whole.path))
    await sameTracks(joined, whole)
    assert.equal(strip?.layout, wholeStrip?.layout)
    assert.ok(strip && wholeStrip)
    assert.ok((await readFile(strip.path)).equals(await readFile(wholeStrip.path)), 'the filmstrip')

    const [heard, wholeHeard] = await Promise.all([soundOf(joined.path), soundOf(whole.path)])
    assert.ok(Math.abs(heard.length - wholeHeard.length) <= SAMPLE_RATE / 30)
    assert.equal(onsetsOf(heard), onsetsOf(wholeHeard))
  })
}

async function sameTracks(joined: Prepared, whole: Prepared): Promise<void> {
  const [ours, theirs] = await Promise.all([tracksOf(joined), tracksOf(whole)])
  assert.equal(ours.video.avc, theirs.video.avc)
  assert.equal(ours.video.samples.sync, theirs.video.samples.sync)
  assert.equal(ours.video.samples.durations, theirs.video.samples.durations)
  assert.is(ours.video.timescale, theirs.video.timescale)
  assert.equal(ours.audio?.samples.sizes, theirs.audio?.samples.sizes)
  assert.equal(
    ours.audio?.edits.map(({ mediaTime }) => mediaTime),
    theirs.audio?.edits.map(({ mediaTime }) => mediaTime),
  )
}

test('a window is divided, too, and progress only grows, up to the end', async () => {
  const upload = await minute('window.mp4', 30, [...X264, '-g', '30', ...AAC])
  const { tools, seen } = watched()
  const window = { from: 7.51, to: 56, mustFit: true }
  const shares: number[] = []
  const joined = await tools.prepare(upload, { window, onProgress: (share) => shares.push(share) })
  assert.is(seen().encoders.length, 2)
  assert.equal(
    await readNumbers(joined.path),
    await readNumbers((await one.prepare(upload, { window })).path),
  )
  assert.equal(
    shares,
    [...shares].sort((a, b) => a - b),
  )
  assert.ok((shares.at(-1) ?? 0) > 0.99, `${shares.at(-1)}`)
})

test('noise that fills the level stays within it, and is as good as by one process', async () => {
  const noise = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=30:d=40.5,noise=alls=100:allf=t']
  const upload = await media.make('noise.mp4', [...noise, ...X264, '-g', '60', '-crf', '18'])
  const { tools, seen } = watched()
  const [joined, whole] = [await tools.prepare(upload), await one.prepare(upload)]
  assert.is(seen().encoders.length, 2, 'joined, not encoded again')
  const { video } = await tracksOf(joined)
  const buffer = { bits: 14e6, bitsPerSecond: 14e6, initialBits: 0.9 * 14e6 }
  assert.ok(staysFilled(video.samples.sizes, buffer, 30))
  assert.is(video.avc?.level, 31)
  const [ours, theirs] = [await psnr(joined.path, upload), await psnr(whole.path, upload)]
  assert.ok(ours > theirs - 0.3, `${ours} dB, by one process ${theirs} dB`)
})

/** Decibels of luma, over all pictures. */
async function psnr(path: string, reference: string): Promise<number> {
  const log = media.path('psnr.log')
  await ffmpeg(['-i', path, '-i', reference, '-lavfi', `psnr=stats_file=${log}`, '-f', 'null', '-'])
  const errors = [...(await readFile(log, 'utf8')).matchAll(/mse_y:(\S+)/g)].map(([, mse]) => Number(mse))
  return 10 * Math.log10(255 ** 2 / (errors.reduce((sum, mse) => sum + mse, 0) / errors.length))
}

test('parts that are not alike are made again by one process', async () => {
  const upload = await minute('unlike.mp4', 30, [...X264, '-g', '30', ...AAC])
  for (const [what, change] of [
    ['other parameters', (args: readonly string[]) => replaced(args, '3.1', '4.0')],
    ['too few pictures', (args: readonly string[]) => replaced(args, '-t', '-t', '5')],
    ['a part that fails', (args: readonly string[]) => replaced(args, 'libx264', 'none')],
  ] as const) {
    const { tools, seen } = watched((task) =>
      task.args.some((arg) => arg.includes('start_frame=588')) ? { ...task, args: change(task.args) } : task,
    )
    const made = await tools.prepare(upload)
    assert.equal([what, seen().encoders.length, seen().running, made.frames], [what, 4, 0, 1800])
  }
})

/** Replaces an argument, or what follows it, where it is last. */
function replaced(args: readonly string[], from: string, to: string, value?: string): string[] {
  const at = args.lastIndexOf(from)
  return args.map((arg, index) => (index === at ? to : value !== undefined && index === at + 1 ? value : arg))
}

test('what cannot be divided is not: a transport stream, a short or an interlaced video', async () => {
  const fields = '-c:v mpeg2video -q:v 2 -flags +ildct+ilme -g 12'.split(' ')
  for (const upload of [
    await minute('stream.ts', 30, [...X264, '-c:a', 'aac', '-t', '60']),
    await minute('fields.mkv', 30, [...fields, ...AAC]),
    await media.make('short.mp4', ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=30:d=39', ...X264]),
  ]) {
    const { tools, seen } = watched()
    await tools.prepare(upload)
    assert.is(seen().encoders.length, 1, upload)
  }
})

test('an abort ends all processes', async () => {
  const upload = await media.make('long.mp4', [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=30:d=120', ...X264],
  ])
  const stop = new AbortController()
  const { tools, seen } = watched()
  const onProgress = () => {
    if (seen().encoders.length === 3) stop.abort(new Error('enough'))
  }
  const outcome = await tools
    .prepare(upload, { signal: stop.signal, onProgress })
    .catch((error: Error) => error.message)
  assert.is(outcome, 'enough')
  assert.equal([seen().running, seen().encoders.length], [0, 3])
})
