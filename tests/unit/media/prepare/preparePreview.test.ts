import { sleep } from '#core/async/clock'
import type { Ffmpeg, FfmpegOutcome, FfmpegTask, WorkFolder } from '#core/media/ports'
import { preparePreview } from '#core/media/prepare/preparePreview'
import { codeOf } from '#support/media/prepared'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

// The order of the work, on an ffmpeg that only tells what it was asked for. What it really makes: tests/flows.

const test = suite('preparing')
const { signal: never } = new AbortController()

const PROBED = [
  "Input #0, mov, from 'file:/u':",
  '  Duration: 00:00:01.00, start: 0.000000',
  '  Stream #0:0: Video: h264, yuv420p, 64x48',
  '  Stream #0:1: Audio: aac (LC), 44100 Hz, mono, fltp',
  'Stream mapping:',
  '[Parsed_showinfo_0 @ 0x1] n:   0 pts:      0 pts_time:0 fmt:yuv420p sar:1/1 s:64x48 i:P',
].join('\n')
const refused = (stderr: string): FfmpegOutcome => ({ exitCode: 1, stdout: new Uint8Array(), stderr })
const probed: FfmpegOutcome = { exitCode: 0, stdout: new Uint8Array(), stderr: PROBED }

const folder: WorkFolder = {
  path: (name) => `/folder/${name}`,
  write: async (name) => name,
  read: async () => new Uint8Array(),
  size: async () => 0,
  dispose: async () => undefined,
}

/** Answers in this order; what it was asked is kept. */
function scripted(answers: readonly ((task: FfmpegTask) => Promise<FfmpegOutcome>)[]) {
  const asked: string[] = []
  const ffmpeg: Ffmpeg = {
    version: async () => 'ffmpeg version 0',
    async run(task) {
      asked.push(task.args.join(' '))
      const answer = answers[asked.length - 1]
      if (!answer) throw new Error(`nothing more was expected: ${task.args.join(' ')}`)
      return answer(task)
    },
  }
  const clock = createFakeClock()
  const dependencies = {
    ffmpeg,
    webp: { open: async () => undefined },
    clock,
    previewSize: 'fit',
    processors: 2,
    limits: { maxInputSeconds: 60, prepareTimeoutSeconds: 0.2 },
  } as const
  const source = { path: '/u', kind: 'video' } as const
  return { asked, clock, prepare: () => preparePreview(dependencies, source, { folder, signal: never }) }
}

test('sound is tried copied, encoded and without, and then the file is refused', async () => {
  const { asked, prepare } = scripted([
    async () => probed,
    async () => refused('Malformed AAC bitstream detected'),
    async () => refused('Decoder (codec aac) not found for input stream #0:1'),
    async () => refused('Invalid data found when processing input'),
  ])
  assert.is(await codeOf(prepare()), 'invalid-request')
  const codecs = asked.map((args) => /-c:a \w+/.exec(args)?.[0])
  assert.equal(codecs, [undefined, '-c:a copy', '-c:a aac', undefined])
})

test('a picture that cannot be decoded is not tried again for its sound', async () => {
  const { asked, prepare } = scripted([
    async () => probed,
    async () => refused('Malformed'),
    async () => refused('Error while decoding stream #0:0'),
  ])
  assert.is(await codeOf(prepare()), 'invalid-request')
  assert.is(asked.length, 3)
})

test('the time limit is for all of it, not for each program', async () => {
  // Each takes 150 ms of the 200.
  const answers: ((task: FfmpegTask) => Promise<FfmpegOutcome>)[] = []
  const { asked, clock, prepare } = scripted(answers)
  for (const outcome of [probed, refused('Malformed'), refused('')])
    answers.push(async ({ signal }) => {
      await sleep(clock, 150, signal)
      return outcome
    })
  const code = codeOf(prepare())
  await clock.advance(199)
  assert.is(asked.length, 2)
  await clock.advance(1)
  assert.is(await code, 'timeout')
  assert.is(asked.length, 2)
  assert.is(clock.timers, 0)
})
