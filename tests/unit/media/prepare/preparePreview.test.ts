import { sleep } from '#core/async/clock'
import type { FfmpegOutcome } from '#core/media/ports'
import { preparePreview } from '#core/media/prepare/preparePreview'
import { codeOf, fakeWorkFolders } from '#support/media/prepared'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
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
const refused = (stderr: string) => ({ exitCode: 1, stderr })
const probed = { stderr: PROBED }
const folder = await fakeWorkFolders().workFolders.open()

/** Answers in this order, each after `ms`; what it was asked is kept. */
function scripted(answers: readonly Partial<FfmpegOutcome>[], ms = 0) {
  const clock = createFakeClock()
  const { ffmpeg, tasks } = scriptedFfmpeg(async ({ args, signal }) => {
    const answer = answers[tasks.length - 1]
    if (!answer) throw new Error(`nothing more was expected: ${args.join(' ')}`)
    if (ms > 0) await sleep(clock, ms, signal)
    return answer
  })
  const dependencies = {
    ffmpeg,
    webp: { open: async () => undefined },
    clock,
    previewSize: 'fit',
    processors: 2,
    limits: { maxInputSeconds: 60, prepareTimeoutSeconds: 0.2 },
  } as const
  const source = { path: '/u', kind: 'video' } as const
  return { tasks, clock, prepare: () => preparePreview(dependencies, source, { folder, signal: never }) }
}

test('sound is tried copied, encoded and without, and then the file is refused', async () => {
  const { tasks, prepare } = scripted([
    probed,
    refused('Malformed AAC bitstream detected'),
    refused('  Stream #0:1: Audio: aac\nDecoder (codec aac) not found for input stream #0:1'),
    refused('Invalid data found when processing input'),
  ])
  assert.is(await codeOf(prepare()), 'invalid-request')
  const codecs = tasks.map(({ args }) => /-c:a \w+/.exec(args.join(' '))?.[0])
  assert.equal(codecs, [undefined, '-c:a copy', '-c:a aac', undefined])
})

test('a picture that cannot be decoded is not tried again for its sound', async () => {
  const { tasks, prepare } = scripted([
    probed,
    refused('Malformed'),
    refused('Error while decoding stream #0:0'),
  ])
  assert.is(await codeOf(prepare()), 'invalid-request')
  assert.is(tasks.length, 3)
})

test('the time limit is for all of it, not for each program', async () => {
  // Each takes 150 ms of the 200.
  const { tasks, clock, prepare } = scripted([probed, refused('Malformed'), refused('')], 150)
  const code = codeOf(prepare())
  await clock.advance(199)
  assert.is(tasks.length, 2)
  await clock.advance(1)
  assert.is(await code, 'timeout')
  assert.is(tasks.length, 2)
  assert.is(clock.timers, 0)
})

test.run()
