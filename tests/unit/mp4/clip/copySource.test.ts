import fc from 'fast-check'
import { copySource } from '#internal/mp4/clip/copySource'
import { cutSource } from '#internal/mp4/clip/cutSource'
import { joinMovie } from '#internal/mp4/movie/writeMovie'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { trackOf } from '../movie/sampleMp4'
import { file, movieWith, range, reordered } from './movies'

const test = suite('the pictures of an original, copied')
const plain = movieWith(() => ({}))

test('any cut read back shows its pictures at their times, and decodes each before it is shown', () => {
  const start = fc.integer({ min: 0, max: 80 })
  const speed = fc.constantFrom(0.1, 0.5, 1, 1.5, 3)
  assertProperty(
    fc.property(
      fc.constantFrom(reordered, plain),
      start,
      fc.integer({ min: 3, max: 60 }),
      speed,
      (movie, first, length, factor) => {
        const frames = Math.min(length, 90 - first)
        const { cut } = cutSource(movie, range(first, frames, factor), file.length)
        if (!cut) throw new Error('no cut')
        assert.is(cut.track.samples.sync[cut.first], 1)
        const samples = Array.from({ length: cut.end - cut.first }, (_, index) =>
          new Uint8Array(3).fill(index),
        )
        const seconds = frames / (30 * factor)
        const pictures = copySource(cut, samples, factor, seconds)
        const track = trackOf(joinMovie([pictures]))
        assert.is(track.samples.count, samples.length)
        const mediaTime = track.edits[0]?.mediaTime ?? 0
        let decoded = 0
        const times = Array.from(track.samples.durations, (duration, index) => {
          const offset = track.samples.compositionOffsets?.[index] ?? 0
          assert.ok(offset >= 0)
          const time = (decoded + offset - mediaTime) / track.timescale
          decoded += duration
          return time
        })
        assert.is(new Set(times).size, times.length, 'no two at once')
        const shown = times.filter((time) => time >= 0 && time < seconds - 1e-9)
        assert.is(shown.length, cut.shown.length)
        cut.shown.forEach((sample, index) => {
          assert.ok(Math.abs((times[sample] ?? 0) - (pictures.times[index] ?? 0)) < 1e-6)
          assert.ok(Math.abs((times[sample] ?? 0) - index / (30 * factor)) < 0.001)
        })
      },
    ),
  )
})

test('an hour of 60 frames a second is copied as a second is', () => {
  const { cut } = cutSource(plain, range(0, 3, 1), file.length)
  if (!cut) throw new Error('no cut')
  const shown = Array.from({ length: 216_000 }, (_, index) => index)
  const whole = {
    ...cut,
    shown,
    seconds: shown.map((index) => index / 60),
    hiddenBefore: [],
    hiddenAfter: [],
  }
  const { times } = copySource(whole, Array(shown.length).fill(Uint8Array.of(0)), 1, 3600)
  assert.is(times.length, shown.length)
})

test.run()
