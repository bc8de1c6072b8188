import { copiedStep, cutPictures, isPlain } from '#internal/mp4/clip/cutPictures'
import { previewMp4 } from '#support/media/previewMp4'
import { assert, suite } from '#support/runner/suite'
import { isRangeError } from '#support/values/failures'
import { trackOf } from '../movie/sampleMp4'

const test = suite('cutting pictures')

const pictures = (width = 640, height = 360) => trackOf(previewMp4({ width, height }))

const step = (width: number, height: number, speed: number) =>
  copiedStep(cutPictures(pictures(width, height), 0, 90), { speed, fps: 30 })

const placesOf = (start: number, end: number) => {
  const { group, key } = cutPictures(pictures(), start, end)
  return [group, key]
}

test('frames are decoded from the key frame before, and copied from the next one on', () => {
  assert.equal(placesOf(0, 90), [0, 0])
  assert.equal(placesOf(1, 90), [0, 15])
  assert.equal(placesOf(29, 90), [15, 30])
  assert.equal(placesOf(30, 90), [30, 30])
  assert.equal(placesOf(31, 40), [30, 40], 'there is no key frame in the clip')
  assert.equal(placesOf(89, 90), [75, 90])
})

test('frames that are not there are refused', () => {
  assert.throws(() => cutPictures(pictures(), 80, 91), isRangeError)
  assert.throws(() => cutPictures(pictures(), 5, 5), isRangeError)
})

test('what level 3.1 allows is shown faster, up to 120 frames a second', () => {
  assert.is(step(1280, 720, 1), 1)
  assert.is(step(1280, 720, 0.1), 1)
  assert.is(step(640, 360, 3.9), 1)
  assert.is(step(64, 48, 4), 1)
  assert.is(step(1920, 1080, 1), 1, 'a preview of the size of its source')
})

test('of more, every second frame is shown, at 24 a second or more', () => {
  assert.is(step(1280, 720, 1.1), undefined)
  assert.is(step(1280, 720, 1.59), undefined)
  assert.is(step(1280, 720, 1.6), 2)
  assert.is(step(1280, 720, 2), 2)
  assert.is(step(1280, 720, 2.01), undefined)
  assert.is(step(640, 360, 4), 2)
  assert.is(step(640, 360, 7.8), 2)
  assert.is(step(640, 360, 7.9), undefined)
  assert.is(step(64, 48, 4.1), 2)
  assert.is(step(64, 48, 8), 2)
  assert.is(step(64, 48, 8.1), undefined)
  assert.is(step(1920, 1080, 2), undefined)
})

test('a track is copied only if it is as previews are', () => {
  const track = pictures()
  const { samples, avc } = track
  assert.ok(isPlain(track, 30))
  assert.not.ok(isPlain({ ...track, timescale: 15_000 }, 30))
  assert.not.ok(isPlain({ ...track, entryCount: 2 }, 30))
  assert.not.ok(isPlain({ ...track, avc: undefined }, 30))
  assert.not.ok(isPlain({ ...track, avc: avc && { ...avc, lengthSize: 2 } }, 30))
  assert.not.ok(isPlain({ ...track, avc: avc && { ...avc, sps: [...avc.sps, ...avc.sps] } }, 30))
  assert.not.ok(isPlain({ ...track, samples: { ...samples, compositionOffsets: new Int32Array(90) } }, 30))
  assert.not.ok(isPlain({ ...track, edits: [{ durationSeconds: 3, mediaTime: 512, rate: 1 }] }, 30))
})

test.run()
