import { concatBytes } from '@lantern-room/base/bytes'
import fc from 'fast-check'
import { encodeBox } from '#internal/mp4/movie/boxes'
import { type Movie, type MovieProblem, readMovie } from '#internal/mp4/movie/movie'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { damagedCopies } from '../../../support/values/damagedCopies'
import { assertSamplesKept, audioTrack, buildMp4, fastStart, videoTrack } from './sampleMp4'

const test = suite('MP4 movie')

const mp4 = buildMp4(fastStart)
const moovStart = 32
const moovEnd = moovStart + new DataView(mp4.buffer).getUint32(moovStart)

function movieOf(bytes: Uint8Array): Movie {
  const { movie, problem } = readMovie(bytes)
  if (!movie) throw new Error(`unreadable: ${problem}`)
  return movie
}

test('clock and tracks are read', () => {
  const movie = movieOf(mp4)
  assert.equal([movie.timescale, movie.durationSeconds], [1000, 0.2])
  const tracks = movie.tracks.map(({ id, kind, timescale, codec }) => `${id} ${kind} ${timescale} ${codec}`)
  assert.equal(tracks, ['1 video 15360 avc1', '2 audio 48000 mp4a'])
})

test('every sample is where the table says', () => assertSamplesKept(mp4))

test('a movie header without a duration leaves it to the longest track', () => {
  assert.is(movieOf(buildMp4({ ...fastStart, movieDuration: 0 })).durationSeconds, 0.2)
  assert.is(movieOf(buildMp4({ ...fastStart, movieDuration: 0xffffffff })).durationSeconds, 0.2)
})

test('composition offsets arrive', () => {
  const composition = [
    [2, 512],
    [4, 0],
  ] as const
  const track = movieOf(buildMp4({ ...fastStart, tracks: [{ ...videoTrack, composition }] })).tracks[0]
  assert.equal([...(track?.samples.compositionOffsets ?? [])], [512, 512, 0, 0, 0, 0])
})

test('the index alone is enough', () => assert.equal(movieOf(mp4.subarray(moovStart, moovEnd)), movieOf(mp4)))

const problems: Record<string, [Uint8Array, MovieProblem]> = {
  'no bytes': [new Uint8Array(), 'not-mp4'],
  'a JPEG': [Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0), 'not-mp4'],
  zeros: [new Uint8Array(64), 'not-mp4'],
  'samples without an index': [buildMp4({ ...fastStart, order: ['ftyp', 'mdat'] }), 'incomplete'],
  'an index that is cut': [mp4.subarray(0, moovEnd - 1), 'incomplete'],
  fragments: [concatBytes([mp4.subarray(0, moovStart), encodeBox('moof')]), 'fragmented'],
  'an index of fragments': [insideMoov(encodeBox('mvex')), 'fragmented'],
  'an index without a header': [encodeBox('moov', encodeBox('trak')), 'malformed'],
  'a track without anything': [insideMoov(encodeBox('trak')), 'malformed'],
}

/** The same index with one more box in it. */
function insideMoov(box: Uint8Array): Uint8Array {
  return encodeBox('moov', mp4.subarray(moovStart + 8, moovEnd), box)
}

for (const [name, [bytes, expected]] of Object.entries(problems)) {
  test(`${name}: ${expected}`, () => assert.is(readMovie(bytes).problem, expected))
}

test('every truncation is refused until the index is whole', () => {
  for (let length = 0; length < moovEnd; length++) {
    const { problem } = readMovie(mp4.subarray(0, length))
    assert.is(problem, length < 8 ? 'not-mp4' : 'incomplete', `${length} bytes`)
  }
  assert.is(readMovie(mp4.subarray(0, moovEnd)).problem, undefined)
})

test('an index whose parts are cut at any byte is refused or read, never an exception', () => {
  for (let length = 0; length < moovEnd - moovStart - 8; length++) {
    const part = mp4.subarray(moovStart + 8, moovStart + 8 + length)
    readMovie(encodeBox('moov', part))
  }
})

test('no byte changed anywhere makes it throw', () => {
  assertProperty(
    fc.property(damagedCopies(mp4.subarray(0, moovEnd), 6), (broken) => {
      const { movie, problem } = readMovie(concatBytes([broken, mp4.subarray(moovEnd)]))
      assert.is(movie === undefined, problem !== undefined)
    }),
    { numRuns: 2000 },
  )
})

/** The same file, whose first track claims so many samples of one byte each in its only chunk. */
function claiming(file: Uint8Array, count: number): Uint8Array {
  const view = new DataView(file.buffer)
  const at = (type: string) => Buffer.from(file.buffer).indexOf(type)
  view.setUint32(at('stts') + 12, count)
  view.setUint32(at('stsc') + 16, count)
  view.setUint32(at('stsz') + 8, 1)
  view.setUint32(at('stsz') + 12, count)
  return file
}

test('many tracks together may not claim more than a million samples', () => {
  const tracks = [{ ...audioTrack, chunks: [[1]] }, audioTrack]
  const { movie } = readMovie(claiming(buildMp4({ ...fastStart, tracks }), 999_994))
  const counts = movie?.tracks.map(({ samples }) => samples.count)
  assert.equal(counts, [999_994, 6])
  assert.is(readMovie(claiming(buildMp4({ ...fastStart, tracks }), 999_995)).problem, 'malformed')
})

test.run()
