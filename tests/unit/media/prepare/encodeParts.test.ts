import { concatBytes } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { readMovie } from '#core/formats/mp4/movie'
import { joinMovie } from '#core/formats/mp4/writeMovie'
import type { FfmpegOutcome, FfmpegTask, WorkFolder } from '#core/media/ports'
import { encodeParts } from '#core/media/prepare/encodeParts'
import { codeOf } from '#support/media/prepared'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { assert, suite } from '#support/runner/suite'
import { collect } from '#support/values/collect'
import { order } from './plainProbe'
import { previewTrack } from './previewTracks'

// What real parts become is in tests/flows/prepareParts.

const test = suite('encoding parts')
const PARTS = [
  { firstFrame: 0, maxFrames: 28, frames: 28 },
  { firstFrame: 28, maxFrames: 60, frames: undefined },
]
const PROBED = [
  '  Duration: 00:00:03.00, start: 0.000000',
  '  Stream #0:0: Video: h264, yuv420p, 64x48',
  '[Parsed_showinfo_0 @ 0x1] n:   0 pts:      0 pts_time:0 fmt:yuv420p sar:1/1 s:64x48 i:P',
].join('\n')
const SOUND = { args: ['-map', '0:a'], isWorthNextTry: ({ stderr }: FfmpegOutcome) => stderr === 'again' }

type Step = 'probe' | 'part0' | 'part1' | 'sound'

function stepOf({ args }: FfmpegTask): Step {
  const name = /folder\/(part\d|sound)/.exec(args.join(' '))?.[1]
  return name === 'part0' || name === 'part1' || name === 'sound' ? name : 'probe'
}

function part(frames: number, number: number): Uint8Array {
  const samples = Array.from({ length: frames }, (_, frame) => Uint8Array.of(number, frame))
  return joinMovie([{ track: previewTrack(samples), samples }])
}

/** @param answers by step; a list is for one run after the other */
async function encode(
  answers: Partial<Record<Step, readonly Partial<FfmpegOutcome>[]>> = {},
  { sound = [] as (typeof SOUND)[], second = part(42, 2), signal = new AbortController().signal } = {},
) {
  const files = new Map(Object.entries({ 'part0.mp4': part(28, 1), 'part1.mp4': second }))
  const folder: WorkFolder = {
    path: (name) => `/folder/${name}`,
    async write(name, bytes) {
      files.set(name, concatBytes(await collect(bytes instanceof Uint8Array ? [bytes] : bytes)))
      return name
    },
    read: async (name, range) =>
      (files.get(name) ?? new Uint8Array()).slice(range?.start, range && range.end + 1),
    size: async (name) => files.get(name)?.length,
    dispose: async () => undefined,
  }
  const shares: number[] = []
  const runs: Record<Step, number> = { probe: 0, part0: 0, part1: 0, sound: 0 }
  const { ffmpeg, tasks } = scriptedFfmpeg((task) => {
    const step = stepOf(task)
    task.onFrame?.(15)
    const outcome = answers[step]?.[runs[step]++] ?? {}
    return step === 'probe' ? { stderr: PROBED, ...outcome } : outcome
  })
  const made = await encodeParts(
    {
      ffmpeg,
      folder,
      firstFrame: 0,
      maxFrames: 88,
      timeoutMs: 1000,
      signal,
      onProgress: (share) => shares.push(share),
    },
    { settings: { ...order, threads: 3 }, parts: PARTS, sound, expectedFrames: 70 },
  )
  const pictures = readMovie(files.get('preview.mp4') ?? new Uint8Array()).movie?.tracks[0]?.samples.count
  return { made, pictures, shares, steps: tasks.map(stepOf).sort(), tasks }
}

test('each part is encoded by itself, and the pictures of all become one preview', async () => {
  const { made, pictures, shares, steps, tasks } = await encode()
  assert.equal([made, pictures], [true, 70])
  assert.equal(steps, ['part0', 'part1', 'probe'])
  const option = (step: Step, name: string) => {
    const args = tasks.find((task) => stepOf(task) === step)?.args ?? []
    return args[args.lastIndexOf(name) + 1]
  }
  assert.equal([option('part0', '-t'), option('part1', '-t')], ['0.933333', '2.000000'])
  assert.is(option('part0', '-threads'), '2', 'the processors are shared')
  assert.equal(shares, [15 / 70, 30 / 70], 'progress of the whole')
})

test('of the parts nothing is used that one process must do again', async () => {
  const failed = [{ exitCode: 1 }]
  for (const [what, result] of [
    ['a part that cannot be encoded', encode({ part1: failed })],
    ['a part of which no picture is found', encode({ probe: failed })],
    ['a number of pictures that was not planned', encode({}, { second: part(14, 2).slice(0, 50) })],
    ['sound that cannot be made', encode({ sound: failed }, { sound: [SOUND] })],
  ] as const) {
    const { made, pictures } = await result
    assert.equal([made, pictures], [false, undefined], what)
  }
})

test('sound is tried in one way after the other', async () => {
  const again = { exitCode: 1, stderr: 'again' }
  const { made, steps } = await encode({ sound: [again, again] }, { sound: [SOUND, SOUND] })
  assert.equal([made, steps.filter((step) => step === 'sound').length], [true, 2])
  const without = await encode({ sound: [again] }, { sound: [SOUND, { ...SOUND, args: [] }, SOUND] })
  assert.equal([without.made, without.steps.includes('sound')], [true, true])
  assert.is(without.steps.length, 4, 'an empty try is the end')
})

test('an abort is no failure of a part', async () => {
  const gone = new ServiceError('unavailable', 'gone')
  assert.is(await codeOf(encode({}, { signal: AbortSignal.abort(gone) })), 'unavailable')
})
