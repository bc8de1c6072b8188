import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { copySource } from '#core/media/clip/copySource'
import { cutSource } from '#core/media/clip/cutSource'
import { type Movie, readMovie } from '#core/media/mp4/movie'
import type { Track } from '#core/media/mp4/track'
import { joinMovie } from '#core/media/mp4/writeMovie'
import { previewMp4 } from '#support/media/previewMp4'
import { suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('cutting an original')

const file = previewMp4()
const { movie: plain } = readMovie(file)
const PLACE = { stream: 0, firstFrame: 0 }
const plan = (startFrame: number, sourceFrames: number, speed = 1) => ({
  startFrame,
  sourceFrames,
  clipFrames: Math.round(sourceFrames / speed),
  speed,
})

/** The same movie with its video track changed. */
function movieWith(change: (track: Track) => Partial<Track>): Movie {
  const [track] = plain?.tracks ?? []
  if (!plain || !track) throw new Error('no track')
  return { ...plain, tracks: [{ ...track, ...change(track) }] }
}

/** I P B B in decoding order, shown as I B B P, with a key frame every 12. */
const reordered = movieWith(({ samples }) => ({
  samples: {
    ...samples,
    compositionOffsets: Int32Array.from({ length: 90 }, (_, index) => {
      if (index % 3 === 0) return 512
      return index % 3 === 1 ? 512 * 3 : 0
    }).map((offset, index) => (index % 3 === 0 ? 512 : offset - (index % 3 === 1 ? 512 : 0))),
    sync: Uint8Array.from({ length: 90 }, (_, index) => Number(index % 12 === 0)),
  },
  edits: [{ durationSeconds: 3, mediaTime: 512, rate: 1 }],
}))

test('it begins with the key frame before the range', () => {
  const { cut } = cutSource(
    movieWith(() => ({})),
    PLACE,
    plan(20, 30),
    file.length,
  )
  assert.equal([cut?.first, cut?.end, cut?.shown.length], [15, 50, 30])
  assert.equal([cut?.hiddenBefore.length, cut?.hiddenAfter.length], [5, 0])
})

test('a part of the original that was prepared alone is counted from its beginning', () => {
  const { cut } = cutSource(
    movieWith(() => ({})),
    { stream: 0, firstFrame: 40 },
    plan(5, 10),
    file.length,
  )
  assert.equal([cut?.first, cut?.end], [45, 55])
})

test('what cannot be copied has a reason', () => {
  const problemOf = (movie: Movie, wanted = plan(0, 30), size = file.length) =>
    cutSource(movie, PLACE, wanted, size).problem
  assert.is(problemOf({ ...movieWith(() => ({})), tracks: [] }), 'format')
  assert.is(problemOf(movieWith(({ sampleEntry }) => ({ sampleEntry: sampleEntry.with(4, 0x6d) }))), 'codec')
  assert.is(problemOf(movieWith(() => ({ entryCount: 2 }))), 'edits')
  const edit = { durationSeconds: 1, mediaTime: 0, rate: 1 }
  assert.is(problemOf(movieWith(() => ({ edits: [edit, edit] }))), 'edits')
  assert.is(problemOf(movieWith(() => ({ edits: [{ ...edit, rate: 0.5 }] }))), 'edits')
  assert.is(
    problemOf(movieWith(({ samples }) => ({ samples: { ...samples, sync: new Uint8Array(90) } }))),
    'edits',
  )
  assert.is(
    problemOf(
      movieWith(() => ({})),
      plan(0, 30, 5),
    ),
    'speed',
  )
  assert.is(
    problemOf(
      movieWith(() => ({ width: 3840, height: 2160 })),
      plan(0, 30, 2),
    ),
    'speed',
  )
  assert.is(
    problemOf(
      movieWith(() => ({})),
      plan(0, 30, 4),
    ),
    undefined,
  )
  assert.is(
    problemOf(
      movieWith(() => ({})),
      plan(0, 90),
      1000,
    ),
    'size',
    'a sample lies outside of the file',
  )
  const heavy = movieWith(({ samples }) => ({
    samples: { ...samples, sizes: samples.sizes.map(() => 4_000_000) },
  }))
  assert.is(problemOf(heavy, plan(0, 60), 1e12), 'size')
})

test('any cut read back shows its pictures at their times, and decodes each before it is shown', () => {
  const start = fc.integer({ min: 0, max: 80 })
  const speed = fc.constantFrom(0.1, 0.5, 1, 1.5, 3)
  assertProperty(
    fc.property(
      fc.constantFrom(
        reordered,
        movieWith(() => ({})),
      ),
      start,
      fc.integer({ min: 3, max: 60 }),
      speed,
      (movie, first, length, factor) => {
        const frames = Math.min(length, 90 - first)
        const { cut } = cutSource(movie, PLACE, plan(first, frames, factor), file.length)
        if (!cut) throw new Error('no cut')
        assert.is(cut.track.samples.sync[cut.first], 1)
        const samples = Array.from({ length: cut.end - cut.first }, (_, index) =>
          new Uint8Array(3).fill(index),
        )
        const seconds = frames / (30 * factor)
        const pictures = copySource(cut, samples, factor, seconds)
        const [track] = readMovie(joinMovie([pictures])).movie?.tracks ?? []
        if (!track) throw new Error('no track')
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

test.run()
