import * as assert from 'uvu/assert'
import type { Ffmpeg, FfmpegOutcome, FfmpegTask, WorkFolder } from '#core/media/ports'
import { samplesOf, tracksOfClip, withoutSound } from '#core/media/trial/clipVariants'
import { encodeHevc } from '#core/media/trial/encodeHevc'
import { suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { rejectedRefusal } from '#support/values/failures'
import { clip, otherClip } from './sampleTrial'

// With the real ffmpeg: tests/flows/commandLineTrial.test.ts.

const test = suite('a clip as HEVC')

const unused = async (): Promise<never> => {
  throw new Error('not needed')
}

function encode(outcome: Partial<FfmpegOutcome>) {
  const tasks: FfmpegTask[] = []
  const ffmpeg: Ffmpeg = {
    version: unused,
    async run(task) {
      tasks.push(task)
      return { exitCode: 0, stdout: new Uint8Array(), stderr: '', ...outcome }
    },
  }
  const folder: WorkFolder = {
    path: (name) => `/work/${name}`,
    write: unused,
    read: async () => otherClip,
    size: unused,
    dispose: unused,
  }
  const task = { folder, signal: new AbortController().signal }
  const encoded = encodeHevc({ ffmpeg, limits: { convertTimeoutSeconds: 60 } }, clip, task)
  return { encoded, tasks }
}

test('the pictures are encoded without the sound, which stays as it is', async () => {
  const { encoded, tasks } = encode({})
  const made = (await encoded) ?? new Uint8Array()
  const { audio } = tracksOfClip(made)
  assert.equal(
    audio && samplesOf(made, audio).map(String),
    samplesOf(clip, tracksOfClip(clip).audio ?? never()).map(String),
  )
  const [task] = tasks
  assert.ok(task?.args.includes('hvc1') && task.args.includes('/work/hevc.mp4') === false)
  assert.ok(task?.args.includes('file:/work/hevc.mp4'))
  equalBytes(task?.stdin as Uint8Array, withoutSound(clip))
})

test('an ffmpeg without the encoder makes none', async () => {
  assert.is(await encode({ exitCode: 8, stderr: "Unknown encoder 'libx265'" }).encoded, undefined)
})

test('another failure is told', async () => {
  await rejectedRefusal(encode({ exitCode: 1, stderr: 'x' }).encoded, 'internal')
})

function never(): never {
  throw new Error('The sample has sound.')
}

test.run()
