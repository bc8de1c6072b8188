import { concatBytes } from '@lantern-room/base/bytes'
import { encodeAvcSample } from '#internal/mp4/avc/annexB'
import { type CopyPlan, copyFrames, headMovie, planCopy, planOf } from '#internal/mp4/clip/copyFrames'
import { cutPictures } from '#internal/mp4/clip/cutPictures'
import { readMovie } from '#internal/mp4/movie/movie'
import { bytesSource } from '#internal/mp4/source/byteSource'
import { assert, suite } from '#support/runner/suite'
import { hex } from '#support/values/hex'
import { group, PARAMETERS, predictedUnit, unit } from '../avc/streams'
import { trackOf } from '../movie/sampleMp4'
import { file } from './movies'

const test = suite('copying frames')
/** Baseline, with frame numbers of four bits. */
const SPS = hex('6742c01fc0')
const PPS = hex('68ce3c80')
/** A key frame with the identifier 1, and a picture that is none. See predictedSlice.test.ts. */
const [KEY, PLAIN] = [hex('65888201'), hex('419a01')]

const plain = trackOf(file)
const track = { ...plain, avc: plain.avc && { ...plain.avc, sps: [SPS], pps: [PPS] } }

/** What an encoder makes of these units. */
function stream(units: readonly Uint8Array[]): Uint8Array {
  return concatBytes(units.flatMap((bytes) => [hex('00000001'), bytes]))
}

function planned(plan: CopyPlan | undefined): CopyPlan {
  if (!plan) throw new Error('no plan')
  return plan
}

test('nothing is copied when the encoder made something else', () => {
  const cut = cutPictures(track, 12, 20)
  const samples = Array.from({ length: 20 - cut.group }, () => encodeAvcSample([hex('658884')]))
  const plan = planned(planOf(cut, 1, samples))
  const copy = (units: readonly Uint8Array[]) =>
    copyFrames(plan, stream(units), { speed: 1, fps: 30, seconds: 1 })
  assert.ok(copy([SPS, PPS, KEY, PLAIN, PLAIN]))
  assert.is(copy([hex('6742c01fc1'), PPS, KEY, PLAIN, PLAIN]), undefined)
  assert.is(copy([SPS, PPS, KEY, PLAIN]), undefined)
  assert.is(copy([]), undefined)
})

const inEvenGroups = {
  ...track,
  avc: plain.avc && { ...plain.avc, sps: [PARAMETERS.sps], pps: [PARAMETERS.pps] },
  samples: { ...track.samples, sync: Uint8Array.from({ length: 90 }, (_, frame) => Number(frame % 6 === 0)) },
}

/** Every second frame of groups of six. */
function planHalf([start, end]: readonly [number, number], change = {}): CopyPlan | undefined {
  const cut = cutPictures({ ...inEvenGroups, ...change }, start, end)
  const all = Array.from({ length: 15 }, () => group(6)).flat()
  return planOf(cut, 2, all.slice(cut.group, end))
}

test('before them the first of the clip is shown, and no two sooner after each other, if there are more', () => {
  for (const [start, head, shown] of [
    [1, [0, 3], [0, 3, 5, 7, 9]],
    [2, [0, 2], [0, 2, 4, 6, 8]],
    [3, [0], [0, 3, 5, 7]],
    [4, [0], [0, 2, 4, 6]],
    [5, [0], [0, 1, 3, 5]],
  ] as const) {
    const plan = planned(planHalf([start, 11]))
    assert.equal(plan.headFrames, head, `from ${start}`)
    const encoded = head.map((_, index) =>
      index === 0 ? unit(0x65, '1 0001000 1 0000 010') : predictedUnit(index, 1),
    )
    const pictures = copyFrames(plan, stream([PARAMETERS.sps, PARAMETERS.pps, ...encoded]), {
      speed: 2,
      fps: 30,
      seconds: (11 - start) / 60,
    })
    assert.equal(
      pictures?.times.map((time) => Math.round(time * 60)),
      shown,
      `from ${start}`,
    )
  }
})

test('nothing is planned when the copied pictures need those that are left out', () => {
  const samples = { ...inEvenGroups.samples, sync: track.samples.sync }
  assert.is(planHalf([3, 40], { samples }), undefined)
})

test('a plan is read from the file, and its head is a movie from the key frame before on', async () => {
  const cut = cutPictures(plain, 20, 60)
  const plan = planned(await planCopy(bytesSource(file), cut, { speed: 1, fps: 30 }))
  assert.equal([cut.group, cut.key], [15, 30])
  assert.equal([plan.headFrames.length, plan.copied.length], [10, 30])
  assert.is(readMovie(headMovie(plan)).movie?.tracks[0]?.samples.count, 15)
  assert.is(await planCopy(bytesSource(file), cut, { speed: 9, fps: 30 }), undefined)
})

test.run()
