import { concatBytes } from '#core/bytes'
import { copyPictures } from '#core/media/clip/copyPictures'
import { cutPictures, type FrameStep } from '#core/media/clip/cutPictures'
import { codeOf } from '#support/media/prepared'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { assert, suite } from '#support/runner/suite'
import { group, PARAMETERS, predictedUnit, unit } from '../../formats/avc/streams'
import { hex } from '../../formats/hex'
import { trackOf } from '../../formats/mp4/sampleMp4'
import { file } from './movies'

const test = suite('copying pictures')
const { signal } = new AbortController()
/** Baseline, with frame numbers of four bits. */
const SPS = hex('6742c01fc0')
const PPS = hex('68ce3c80')
/** Key frames with the identifiers 0 and 1. See idrPictureId.test.ts. */
const [KEY_0, KEY_1] = [hex('658884'), hex('65888201')]
const PLAIN = hex('419a01')

const plain = trackOf(file)
const track = { ...plain, avc: plain.avc && { ...plain.avc, sps: [SPS], pps: [PPS] } }

/** @param encoded the pictures that ffmpeg makes anew */
async function copy(
  [start, end]: readonly [number, number],
  { speed = 1, seconds = 1, encoded = [] as Uint8Array[], sps = SPS, exitCode = 0, next = KEY_0 } = {},
) {
  const stream = [sps, PPS, ...encoded].flatMap((unit) => [Uint8Array.of(0, 0, 0, 1), unit])
  const { ffmpeg, tasks } = scriptedFfmpeg(() => ({ exitCode, stdout: concatBytes(stream) }))
  const cut = cutPictures(track, start, end)
  const samples = Array.from({ length: end - cut.group }, (_, index) =>
    concatBytes([Uint8Array.of(0, 0, 0, next.length), next, Uint8Array.of(0, 0, 0, 1, index)]),
  )
  const pictures = await copyPictures({ ffmpeg, signal, timeoutMs: 1000 }, cut, 1, samples, speed, seconds)
  return { pictures, samples, args: tasks.map(({ args }) => args.join(' ')) }
}

test('nothing is copied when the encoder made something else; that it failed is said', async () => {
  const encoded = [KEY_1, PLAIN, PLAIN]
  assert.is((await copy([12, 20], { encoded, sps: hex('6742c01fc1') })).pictures, undefined)
  assert.is((await copy([12, 20], { encoded: [KEY_1, PLAIN] })).pictures, undefined)
  assert.is(await codeOf(copy([12, 20], { exitCode: 1 })), 'internal')
})

const inEvenGroups = {
  ...track,
  avc: plain.avc && { ...plain.avc, sps: [PARAMETERS.sps], pps: [PARAMETERS.pps] },
  samples: { ...track.samples, sync: Uint8Array.from({ length: 90 }, (_, frame) => Number(frame % 6 === 0)) },
}

/** At speed 2. @param heads how many pictures ffmpeg encodes */
async function copyHalf([start, end]: readonly [number, number], heads: number, change = {}) {
  const encoded = Array.from({ length: heads }, (_, index) =>
    index === 0 ? unit(0x65, '1 0001000 1 0000 010') : predictedUnit(index, 1),
  )
  const stream = [PARAMETERS.sps, PARAMETERS.pps, ...encoded].flatMap((bytes) => [hex('00000001'), bytes])
  const { ffmpeg, tasks } = scriptedFfmpeg(() => ({ stdout: concatBytes(stream) }))
  const cut = cutPictures({ ...inEvenGroups, ...change }, start, end)
  const all = Array.from({ length: 15 }, () => group(6)).flat()
  const step: FrameStep = 2
  const task = { ffmpeg, signal, timeoutMs: 1000 }
  const pictures = await copyPictures(task, cut, step, all.slice(cut.group, end), 2, (end - start) / 60)
  return { pictures, args: tasks.map(({ args }) => args.join(' ')) }
}

const framesOf = (times: readonly number[] = []) => times.map((time) => Math.round(time * 60))

test('before them the first of the clip is shown, and no two sooner after each other, if there are more', async () => {
  for (const [start, select, frames] of [
    [1, 'eq(n,0)+eq(n,3)', [0, 3, 5, 7, 9]],
    [2, 'eq(n,0)+eq(n,2)', [0, 2, 4, 6, 8]],
    [3, 'eq(n,0)', [0, 3, 5, 7]],
    [4, 'eq(n,0)', [0, 2, 4, 6]],
    [5, 'eq(n,0)', [0, 1, 3, 5]],
  ] as const) {
    const { pictures, args } = await copyHalf([start, 11], select.split('+').length)
    const wanted = select === 'eq(n,0)' && start === 5 ? '' : `select='${select}',`
    assert.ok(args[0]?.includes(`trim=start_frame=${start},${wanted}setpts=N/30/TB`), args[0])
    assert.equal(framesOf(pictures?.times), frames, `from ${start}`)
  }
})

test('nothing is encoded when the copied pictures need those that are left out', async () => {
  const samples = { ...inEvenGroups.samples, sync: track.samples.sync }
  const { pictures, args } = await copyHalf([3, 40], 1, { samples })
  assert.equal([pictures, args], [undefined, []])
})

test.run()
