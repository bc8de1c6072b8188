import { bytesSource } from '#core/formats/source/byteSource'
import { takeGainMap } from '#core/media/cover/takeGainMap'
import type { FfmpegOutcome, FfmpegTask } from '#core/media/ports'
import type { OriginalTraits } from '#core/media/traits'
import { codeOf, fakeWorkFolders, PREVIEW } from '#support/media/prepared'
import { previewMp4 } from '#support/media/previewMp4'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { assert, suite } from '#support/runner/suite'
import { baselineJpeg } from '../../formats/motionPhoto/sampleJpeg'

const test = suite('taking a gain map')
const { signal } = new AbortController()
/** 2 × 1 pixels of the map, of which the second is four times as bright as white. */
const LIGHT = new Uint8Array(Float32Array.of(1, 4, 1, 4, 1, 4).buffer)
const WHITE = new Uint8Array(6).fill(255)
const FAILED = { exitCode: 1 }

function stepOf({ args, stdin }: FfmpegTask): string {
  if (args.includes('gbrpf32le')) return stdin ? 'group' : 'original'
  return args.includes('rgb24') ? 'rendition' : 'map'
}

const OUTPUTS: Readonly<Record<string, Uint8Array>> = {
  group: LIGHT,
  original: LIGHT,
  rendition: WHITE,
  map: baselineJpeg,
}

async function take(
  answers: Readonly<Record<string, Partial<FfmpegOutcome>>> = {},
  traits: Partial<OriginalTraits> = {},
) {
  const { ffmpeg, tasks } = scriptedFfmpeg((task) => {
    const step = stepOf(task)
    return { stdout: OUTPUTS[step] ?? new Uint8Array(), ...answers[step] }
  })
  const size = { width: 8, height: 4 }
  const hdr = { ...PREVIEW.original, size, hdrTransfer: 'smpte2084', ...traits } as const
  const folder = await fakeWorkFolders().workFolders.open()
  const original = { bytes: bytesSource(previewMp4()), path: async () => '/original', traits: hdr }
  const work = takeGainMap({ ffmpeg, folder, signal, timeoutMs: 1000, original }, 10, baselineJpeg)
  const result = await work.catch(() => codeOf(work))
  return { result, steps: tasks.map(stepOf), tasks }
}

test('it is a quarter of the cover each way, from the light and the cover as it is', async () => {
  const { result, steps, tasks } = await take()
  assert.equal(steps, ['group', 'rendition', 'map'])
  assert.ok(typeof result === 'object' && result.gainMap)
  assert.equal(tasks[2]?.stdin, Uint8Array.of(0, 255), 'the second pixel is brighter')
  assert.ok(tasks[1]?.args.some((argument) => argument.includes('scale=2:1:')))
})

test('light that the group does not give is searched in the original', async () => {
  const { result, steps } = await take({ group: { stdout: LIGHT.subarray(1) } })
  assert.equal(steps, ['group', 'original', 'rendition', 'map'])
  assert.ok(typeof result === 'object' && result.gainMap)
  const lost = await take({ group: FAILED, original: FAILED })
  assert.equal(lost, { ...lost, result: { problem: 'not-found' }, steps: ['group', 'original'] })
})

test('only a video of high dynamic range has one', async () => {
  for (const traits of [{ hdrTransfer: undefined }, { kind: 'animated-image' }] as const)
    assert.equal(await take({}, traits), { result: { problem: 'standard-range' }, steps: [], tasks: [] })
})

test('a picture that cannot be encoded is a failure; one that is no JPEG is no map', async () => {
  assert.is((await take({ rendition: FAILED })).result, 'internal')
  assert.equal((await take({ map: { stdout: new Uint8Array() } })).result, { problem: 'not-found' })
})

test.run()
