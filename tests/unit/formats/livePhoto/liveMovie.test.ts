import { readMovie } from '@lantern-room/mp4'
import { normalizeClip } from '@lantern-room/mp4/clip'
import { readNow } from '@lantern-room/mp4/source'
import { encodeLiveMovie, readLiveMovie } from '#internal/formats/livePhoto/liveMovie'
import { stillMark } from '#internal/formats/livePhoto/stillTimeTrack'
import { assert, suite } from '../../../support/runner/suite'
import { isFormatError } from '../../../support/values/failures'
import { audioTrack, buildMp4, fastStart, samplesOf, videoTrack } from '../../mp4/movie/sampleMp4'

const test = suite('video of a Live Photo')

const clip = normalizeClip(buildMp4(fastStart))
const items = new Map([['com.apple.quicktime.content.identifier', 'ID']])

test('has the samples of the clip, bit for bit, and the mark behind them', () => {
  const movie = encodeLiveMovie(clip, [stillMark(100_000)], items)
  assert.equal(samplesOf(movie), [...samplesOf(clip), [Uint8Array.of(0, 0, 0, 9, 0, 0, 0, 1, 0xff)]])
  assert.is(Buffer.from(movie).toString('latin1', 8, 12), 'qt  ')
})

test('its marks are read', () => {
  const marks = (us: number) => {
    const movie = encodeLiveMovie(clip, [stillMark(us)], items)
    return readNow(readLiveMovie({ size: movie.length }), movie)
  }
  assert.equal(marks(100_000), { identifier: 'ID', stillTimeUs: 100_000 })
  assert.equal(marks(0), { identifier: 'ID', stillTimeUs: 0 })
  assert.is(marks(200_000).stillTimeUs, 199_935, 'the mark lies in the movie')
})

test('a clip has no marks, and neither has what is no movie', () => {
  for (const bytes of [clip, new Uint8Array(), clip.subarray(0, 100), Uint8Array.of(1, 2, 3)])
    assert.equal(readNow(readLiveMovie({ size: bytes.length }), bytes), {
      identifier: undefined,
      stillTimeUs: undefined,
    })
})

test('no truncation makes the reader throw', () => {
  const movie = encodeLiveMovie(clip, [stillMark(100_000)], items)
  for (let length = 0; length < movie.length; length++) {
    const cut = movie.subarray(0, length)
    readNow(readLiveMovie({ size: length }), cut)
  }
})

test('what is no clip is refused', () => {
  for (const bytes of [new Uint8Array(), clip.subarray(0, 50)])
    assert.throws(() => encodeLiveMovie(bytes, [], items), isFormatError('invalid-part'))
})

test('a clip without sound, and one of long offsets, are movies, too', () => {
  for (const tracks of [[videoTrack], [{ ...videoTrack, longOffsets: true }, audioTrack]]) {
    const movie = encodeLiveMovie(normalizeClip(buildMp4({ ...fastStart, tracks })), [stillMark(0)], items)
    assert.is(readMovie(movie).movie?.tracks.length, tracks.length + 1)
  }
})

test.run()
