import { cutSource } from '#internal/mp4/clip/cutSource'
import type { Movie } from '#internal/mp4/movie/movie'
import { assert, suite } from '../../../support/runner/suite'
import { file, movieWith, range } from './movies'

const test = suite('cutting an original')
const plain = movieWith(() => ({}))

test('it begins with the key frame before the range', () => {
  const { cut } = cutSource(plain, range(20, 30), file.length)
  assert.equal([cut?.first, cut?.end, cut?.shown.length], [15, 50, 30])
  assert.equal([cut?.hiddenBefore.length, cut?.hiddenAfter.length], [5, 0])
})

test('what cannot be copied has a reason', () => {
  const problemOf = (movie: Movie, wanted = range(0, 30), size = file.length) =>
    cutSource(movie, wanted, size).problem
  assert.is(problemOf({ ...plain, tracks: [] }), 'format')
  assert.is(problemOf(movieWith(({ sampleEntry }) => ({ sampleEntry: sampleEntry.with(4, 0x6d) }))), 'codec')
  assert.is(problemOf(movieWith(() => ({ entryCount: 2 }))), 'edits')
  const edit = { durationSeconds: 1, mediaTime: 0, rate: 1 }
  assert.is(problemOf(movieWith(() => ({ edits: [edit, edit] }))), 'edits')
  assert.is(problemOf(movieWith(() => ({ edits: [{ ...edit, rate: 0.5 }] }))), 'edits')
  const keyless = movieWith(({ samples }) => ({ samples: { ...samples, sync: new Uint8Array(90) } }))
  assert.is(problemOf(keyless), 'edits')
  assert.is(problemOf(plain, range(0, 30, 5)), 'speed')
  const large = movieWith(() => ({ width: 3840, height: 2160 }))
  assert.is(problemOf(large, range(0, 30, 2)), 'speed')
  assert.is(problemOf(plain, range(0, 30, 4)), undefined)
  assert.is(problemOf(plain, range(0, 90), 1000), 'size', 'a sample lies outside of the file')
  const heavy = movieWith(({ samples }) => ({
    samples: { ...samples, sizes: samples.sizes.map(() => 4_000_000) },
  }))
  assert.is(problemOf(heavy, range(0, 60), 1e12), 'size')
})

test.run()
