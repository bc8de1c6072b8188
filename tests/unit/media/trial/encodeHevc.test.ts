import type { FfmpegOutcome } from '#core/media/ports'
import { samplesOf, tracksOfClip, withoutSound } from '#core/media/trial/clipVariants'
import { encodeHevc } from '#core/media/trial/encodeHevc'
import { fakeWorkFolders } from '#support/media/prepared'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { rejectedRefusal } from '#support/values/failures'
import { clip, otherClip } from './sampleTrial'

// With the real ffmpeg: tests/flows/commandLineTrial.test.ts.

const test = suite('a clip as HEVC')

async function encode(outcome: Partial<FfmpegOutcome>) {
  const { ffmpeg, tasks } = scriptedFfmpeg(() => outcome)
  const folder = await fakeWorkFolders(new Map([['hevc.mp4', otherClip]])).workFolders.open()
  const task = { folder, signal: new AbortController().signal }
  return { made: await encodeHevc({ ffmpeg, limits: { convertTimeoutSeconds: 60 } }, clip, task), tasks }
}

test('the pictures are encoded without the sound, which stays as it is', async () => {
  const { made = new Uint8Array(), tasks } = await encode({})
  const { audio } = tracksOfClip(made)
  const expected = samplesOf(clip, tracksOfClip(clip).audio ?? never()).map(String)
  assert.equal(audio && samplesOf(made, audio).map(String), expected)
  const [task] = tasks
  assert.ok(task?.args.includes('hvc1') && task.args.includes('/work/hevc.mp4') === false)
  assert.ok(task?.args.includes('file:/work/hevc.mp4'))
  equalBytes(task?.stdin as Uint8Array, withoutSound(clip))
})

test('an ffmpeg without the encoder makes none', async () => {
  assert.is((await encode({ exitCode: 8, stderr: "Unknown encoder 'libx265'" })).made, undefined)
})

test('another failure is told', async () => {
  await rejectedRefusal(encode({ exitCode: 1, stderr: 'x' }), 'internal')
})

function never(): never {
  throw new Error('The sample has sound.')
}
