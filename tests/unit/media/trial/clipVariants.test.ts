import {
  samplesOf,
  tracksOfClip,
  withoutSound,
  withPicturesOf,
  withSilence,
} from '#core/media/trial/clipVariants'
import { assert, suite } from '#support/runner/suite'
import { isRefusal } from '#support/values/failures'
import { clip, otherClip } from './sampleTrial'

const test = suite('changed clips')

const pictures = (bytes: Uint8Array) => samplesOf(bytes, tracksOfClip(bytes).video).map(String)
const sound = (bytes: Uint8Array) => {
  const { audio } = tracksOfClip(bytes)
  return audio && samplesOf(bytes, audio).map(String)
}
const soundStart = (bytes: Uint8Array) => tracksOfClip(bytes).audio?.edits[0]?.mediaTime

test('the sound goes, the pictures and their times stay', () => {
  const silent = withoutSound(clip)
  assert.is(sound(silent), undefined)
  assert.equal(pictures(silent), pictures(clip))
  assert.equal(tracksOfClip(silent).video.samples.durations, tracksOfClip(clip).video.samples.durations)
  assert.is(tracksOfClip(silent).video.durationSeconds, tracksOfClip(clip).video.durationSeconds)
})

test('silence lasts as long as the pictures', () => {
  const quiet = withSilence(otherClip)
  const { video, audio } = tracksOfClip(quiet)
  assert.equal(pictures(quiet), pictures(otherClip))
  assert.is(audio?.durationSeconds, video.durationSeconds)
  assert.ok((audio?.samples.count ?? 0) * 1024 >= video.durationSeconds * 48_000)
})

test('the pictures of one clip, the sound of the other', () => {
  const joined = withPicturesOf(otherClip, clip)
  assert.equal(pictures(joined), pictures(otherClip))
  assert.equal(sound(joined), sound(clip))
  assert.is(soundStart(joined), soundStart(clip))
  assert.is(sound(withPicturesOf(clip, otherClip)), undefined)
})

test('what is no clip is refused', () => {
  assert.throws(() => tracksOfClip(new Uint8Array(16)), isRefusal('internal'))
})
