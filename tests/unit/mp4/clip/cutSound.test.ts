import fc from 'fast-check'
import { copySound, cutSound, isBounded, isCopyable } from '#internal/mp4/clip/cutSound'
import type { Track } from '#internal/mp4/movie/track'
import { previewMp4 } from '../../../support/media/previewMp4'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { trackOf } from '../movie/sampleMp4'

const test = suite('cutting sound')

/** Three seconds, after one frame that only fills the encoder: 142 frames. */
const sound = trackOf(previewMp4({ soundSeconds: 3 }), 1)
const FRAME = 1024 / 48_000

test('a cut begins at the sample that is heard, with one frame more to decode it', () => {
  const cut = cutSound(sound, 1, 2)
  // Heard from sample 49,024 of all on, which is in frame 47.
  assert.equal([cut.first, cut.mediaTime], [46, 49_024 - 46 * 1024])
  assert.equal([cut.end, cut.silentFrames, cut.delaySeconds], [95, 0, 0])
})

test('from the beginning on the first frame is kept, unheard', () => {
  const cut = cutSound(sound, 0, 1)
  assert.equal([cut.first, cut.mediaTime, cut.delaySeconds], [0, 1024, 0])
})

test('before the beginning it is silent', () => {
  const cut = cutSound(sound, -0.5, 0.5)
  assert.equal([cut.first, cut.mediaTime, cut.delaySeconds], [0, 1024, 0.5])
  const mediaTimes = copySound(cut, []).track.edits.map(({ mediaTime }) => mediaTime)
  assert.equal(mediaTimes, [undefined, 1024])
  const late = {
    ...sound,
    edits: [
      { durationSeconds: 2, mediaTime: undefined, rate: 1 },
      { durationSeconds: 3, mediaTime: 1024, rate: 1 },
    ],
  }
  assert.equal([cutSound(late, 1.5, 3).delaySeconds, cutSound(late, 1.5, 3).mediaTime], [0.5, 1024])
})

test('after the end there is silence as long as is needed', () => {
  const cut = cutSound(sound, 2.5, 4)
  assert.is(cut.end, 142)
  const { track, samples } = copySound(
    cut,
    Array.from({ length: cut.end - cut.first }, () => new Uint8Array(10)),
  )
  assert.is(samples.length, track.sizes.length)
  assert.ok(samples.length * 1024 >= cut.mediaTime + 1.5 * 48_000)
  const none = cutSound(sound, 5, 6)
  assert.equal([none.first, none.end, none.silentFrames], [0, 0, 47])
  assert.equal([...copySound(none, []).track.durations], new Array(47).fill(1024))
})

test('any cut is covered by its samples, and has not more than two frames too many', () => {
  const time = fc.double({ min: -1, max: 5, noNaN: true })
  assertProperty(
    fc.property(time, fc.double({ min: 0.05, max: 3, noNaN: true }), (start, seconds) => {
      const cut = cutSound(sound, start, start + seconds)
      const { track } = copySound(cut, [])
      const filled = track.durations.reduce((sum, ticks) => sum + ticks, 0) / 48_000
      const needed = cut.mediaTime / 48_000 + seconds - cut.delaySeconds
      if (start + seconds > 0) assert.ok(filled >= needed - 1e-4, `${filled} of ${needed}`)
      assert.ok(filled <= seconds + 3 * FRAME + 1e-9)
    }),
  )
})

test('sound is copied whose clock is its sample rate, of AAC-LC whose samples share no bytes', () => {
  const bytes = sound.samples.sizes.reduce((sum, size) => sum + size, 0)
  const entryWith = (rate: number) => sound.sampleEntry.with(32, rate >> 8).with(33, rate & 0xff)
  const withSamples = (change: Partial<Track['samples']>) => ({
    ...sound,
    samples: { ...sound.samples, ...change },
  })
  assert.ok(isCopyable(sound, bytes))
  for (const timescale of [1, 24_000, 44_100, 90_000, 2 ** 31, 0xffffffff])
    assert.not.ok(isCopyable({ ...sound, timescale }, bytes), `${timescale}`)
  assert.ok(isCopyable({ ...sound, sampleEntry: entryWith(0) }, bytes), 'a rate that does not fit the entry')
  const doubled = { ...sound, sampleEntry: entryWith(24_000), timescale: 24_000 }
  assert.ok(isCopyable(doubled, bytes), 'the rate of the entry, of HE-AAC')
  assert.not.ok(isCopyable(sound, bytes - 1))
  const { durations } = sound.samples
  assert.not.ok(isCopyable(withSamples({ durations: durations.map(() => 2 ** 31) }), bytes))
})

test('a cut has no more samples and bytes than sound of its length', () => {
  const bytes = sound.samples.sizes.reduce((sum, size) => sum + size, 0)
  const whole = cutSound(sound, 0, 3)
  assert.ok(isBounded(whole, bytes))
  assert.not.ok(isBounded(whole, 100))
  const instant = new Uint32Array(100_000)
  const samples = {
    ...sound.samples,
    count: instant.length,
    durations: instant,
    sizes: instant,
    offsets: new Float64Array(instant.length),
  }
  const many = { ...whole, track: { ...sound, samples }, end: samples.count }
  assert.not.ok(isBounded(many, bytes), 'a hundred thousand at once')
})

test.run()
