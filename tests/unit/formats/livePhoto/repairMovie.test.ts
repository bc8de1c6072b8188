import { latin1 } from '@lantern-room/base/bytes'
import { readMovie } from '@lantern-room/mp4'
import { readNow, readThrough, sizeOfParts, take } from '@lantern-room/mp4/source'
import { readLiveMovie } from '#internal/formats/livePhoto/liveMovie'
import { type MovieMarks, planMovie } from '#internal/formats/livePhoto/repairMovie'
import { assert, suite } from '../../../support/runner/suite'
import { assertSamplesKept, buildMp4, fastStart } from '../../mp4/movie/sampleMp4'

// Whole ZIPs are mended in repairLivePhoto.test.ts.

const test = suite('repair of the video of a Live Photo')
const MARKS: MovieMarks = { identifier: 'ID', stillTimeUs: 100_000 }
/** Its index is before the samples, or behind them as cameras write it. */
const movies = [
  buildMp4(fastStart),
  buildMp4({ ...fastStart, order: ['ftyp', 'wide', 'mdat', 'moov'] }),
  buildMp4({ ...fastStart, order: ['ftyp', 'mdat', 'moov', 'mdat'] }),
]

function repaired(bytes: Uint8Array, marks = MARKS): Uint8Array | undefined {
  const parts = readNow(planMovie({ size: bytes.length }, marks), bytes)
  const size = parts && sizeOfParts(parts)
  return parts && readNow(readThrough(take({ size: size ?? 0 }, 0, size ?? 0), parts), bytes)
}
const mended = (bytes: Uint8Array, marks = MARKS) => repaired(bytes, marks) ?? new Uint8Array()
const marksOf = (bytes: Uint8Array) => readNow(readLiveMovie({ size: bytes.length }), bytes)

test('it has the marks, the forms of QuickTime, and each sample where its index says', () => {
  for (const bytes of movies) {
    const after = mended(bytes)
    assert.equal(marksOf(after), MARKS)
    assert.is(latin1(after, 8, 12), 'qt  ')
    assertSamplesKept(after, [6, 6, 1])
  }
})

test('marks that are there are replaced, and a moment that is not named stays', () => {
  for (const bytes of movies) {
    const once = mended(bytes)
    const moved = mended(once, { identifier: 'OTHER', stillTimeUs: 0 })
    assert.equal(marksOf(moved), { identifier: 'OTHER', stillTimeUs: 0 })
    assert.is(readMovie(moved).movie?.tracks.length, 3)
    const named = mended(once, { identifier: 'LONGER NAME', stillTimeUs: undefined })
    assert.equal(marksOf(named), { identifier: 'LONGER NAME', stillTimeUs: 100_000 })
  }
})

test('the next free number of a track is behind that of the mark', () => {
  const after = mended(buildMp4(fastStart))
  const header = latin1(after).indexOf('mvhd') - 4
  assert.equal([...after.subarray(header + 104, header + 108)], [0, 0, 0, 4])
})

test('what has no index that can be read is left alone', () => {
  const [plain = new Uint8Array()] = movies
  const silent = buildMp4({ ...fastStart, tracks: fastStart.tracks.slice(1) })
  for (const bytes of [
    new Uint8Array(),
    plain.subarray(0, 100),
    silent,
    buildMp4({ ...fastStart, order: ['ftyp'] }),
  ])
    assert.is(repaired(bytes), undefined)
})

test.run()
