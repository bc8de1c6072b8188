import { assembleMotionPhoto } from '#core/formats/motionPhoto/assemble'
import { normalizeClip } from '#core/formats/mp4/normalizeClip'
import type { PhotoOfFile } from '#core/media/oneShot/photoOfFile'
import { gatherMaterial, type MaterialSteps, reasonForNone } from '#core/media/trial/gatherMaterial'
import { makeVariant } from '#core/media/trial/makeVariant'
import { ORIGIN, PLAIN_CLIP } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { buildMp4, fastStart, videoTrack } from '../../formats/mp4/sampleMp4'
import { clip, material, otherClip } from './sampleTrial'

const test = suite('what a trial is made of')

function photoOf(mp4: Uint8Array, videoSeconds: number): PhotoOfFile {
  const photo = assembleMotionPhoto({ ...material.parts, clip: mp4, profile: 'universal' })
  return {
    photo,
    files: [{ name: 'IMG_MP.jpg', bytes: photo }],
    ...PLAIN_CLIP,
    presentationTimestampUs: 133_333,
    origin: { ...ORIGIN, takenAt: material.parts.takenAt, namedAt: material.namedAt },
    plan: { startFrame: 30, sourceFrames: 90, clipFrames: 90, speed: 1, coverFrame: 75 },
    videoSeconds,
  }
}

type Asked = readonly [end: number | undefined, cover: number | undefined]

async function gather(videoSeconds: number, changes: Partial<MaterialSteps> = {}, baseline = clip) {
  const asked: Asked[] = []
  const steps: MaterialSteps = {
    async makePhoto(...range) {
      asked.push(range)
      return photoOf(asked.length === 1 ? baseline : otherClip, videoSeconds)
    },
    encodeHevc: async () => otherClip,
    ...changes,
  }
  const gathered = await gatherMaterial(steps, { start: 1, cover: undefined, maxClipSeconds: 60 })
  return { gathered, asked }
}

test('the photo is taken apart so that it can be put together again', async () => {
  const { gathered } = await gather(60)
  const made = makeVariant('universal', gathered)
  equalBytes(made?.bytes ?? new Uint8Array(), photoOf(clip, 60).photo)
})

test('the longer clip has the same start and still, and ends after ten seconds or with the video', async () => {
  const { asked } = await gather(60)
  assert.equal([asked.length, ...asked.flat()], [2, undefined, undefined, 11, 2.5])
  assert.equal((await gather(6)).asked[1], [6, 2.5])
})

test('there is none of a video that is hardly longer, or does not say how long it is', async () => {
  for (const seconds of [4.4, Number.POSITIVE_INFINITY]) {
    const { asked, gathered } = await gather(seconds)
    assert.equal([asked.length, gathered.clips.longer], [1, undefined])
    assert.match(reasonForNone('longer'), /not longer/)
  }
})

test('a clip with sound is tried without, one without sound with silence', async () => {
  assert.equal(Object.keys((await gather(4)).gathered.clips), ['hevc', 'no-sound'])
  const mute = normalizeClip(buildMp4({ ...fastStart, tracks: [videoTrack] }))
  assert.equal(Object.keys((await gather(4, {}, mute)).gathered.clips), ['hevc', 'silence'])
})

test('without an encoder for HEVC it is left out', async () => {
  const { gathered } = await gather(4, { encodeHevc: async () => undefined })
  assert.is(gathered.clips.hevc, undefined)
  assert.is(makeVariant('hevc', gathered), undefined)
  assert.is(reasonForNone('hevc'), 'This ffmpeg cannot encode HEVC.')
})
