import { concatBytes } from '@lantern-room/base'
import { encodeAvcSample } from '@lantern-room/formats/parts'
import { copyPictures } from '#internal/media/photo/clip/copyPictures'
import { cutPictures } from '#internal/media/photo/clip/cutPictures'
import type { Ffmpeg } from '#internal/media/ports'
import { codeOf } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'
import { group, PARAMETERS, predictedUnit, unit } from '../../../formats/avc/streams'
import { hex } from '../../../formats/hex'
import { trackOf } from '../../../formats/mp4/sampleMp4'
import { file } from './movies'

const test = suite('copying pictures')
const { signal } = new AbortController()
/** Baseline, with frame numbers of four bits. */
const SPS = hex('6742c01fc0')
const PPS = hex('68ce3c80')
/** A key frame with the identifier 1, and a picture that is none. See predictedSlice.test.ts. */
const [KEY, PLAIN] = [hex('65888201'), hex('419a01')]

const plain = trackOf(file)
const track = { ...plain, avc: plain.avc && { ...plain.avc, sps: [SPS], pps: [PPS] } }

/** An ffmpeg that answers with these units. @returns with it the arguments that it was given */
function encoderOf(units: readonly Uint8Array[], exitCode = 0) {
  const asked: string[] = []
  const stdout = concatBytes(units.flatMap((bytes) => [hex('00000001'), bytes]))
  const ffmpeg: Ffmpeg = {
    version: async () => 'ffmpeg version 0',
    async run({ args }) {
      asked.push(args.join(' '))
      return { exitCode, stdout, stderr: '' }
    },
  }
  return { run: { ffmpeg, signal, timeoutMs: 1000 }, asked }
}

test('nothing is copied when the encoder made something else; that it failed is said', async () => {
  const cut = cutPictures(track, 12, 20)
  const samples = Array.from({ length: 20 - cut.group }, () => encodeAvcSample([hex('658884')]))
  const copy = (units: readonly Uint8Array[], exitCode = 0) =>
    copyPictures(encoderOf(units, exitCode).run, cut, 1, samples, 1, 1)
  assert.ok(await copy([SPS, PPS, KEY, PLAIN, PLAIN]))
  assert.is(await copy([hex('6742c01fc1'), PPS, KEY, PLAIN, PLAIN]), undefined)
  assert.is(await copy([SPS, PPS, KEY, PLAIN]), undefined)
  assert.is(await codeOf(copy([SPS, PPS], 1)), 'internal')
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
  const { run, asked } = encoderOf([PARAMETERS.sps, PARAMETERS.pps, ...encoded])
  const cut = cutPictures({ ...inEvenGroups, ...change }, start, end)
  const all = Array.from({ length: 15 }, () => group(6)).flat()
  const pictures = await copyPictures(run, cut, 2, all.slice(cut.group, end), 2, (end - start) / 60)
  return { pictures, args: asked }
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
