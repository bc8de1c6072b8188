import { readBoxes } from '#internal/mp4/movie/boxes'
import { readMovie } from '#internal/mp4/movie/movie'
import { normalizeClip } from '#internal/mp4/movie/normalizeClip'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'
import { isFormatError } from '../../../support/values/failures'
import { assertSamplesKept, audioTrack, buildMp4, fastStart, videoTrack } from './sampleMp4'

const test = suite('clip normaliser')

const clip = normalizeClip(buildMp4(fastStart))
const boxTypes = (mp4: Uint8Array) => readBoxes(mp4)?.map(({ type }) => type)

test('it begins with these 32 bytes', () => {
  const head = hex('00000018 66747970 6d703432 00000000 69736f6d 6d703432  00000008 66726565')
  equalBytes(clip.subarray(0, 32), head)
})

test('every sample is still where its table says', () => assertSamplesKept(clip))

test('what else the index says is left alone, to the millisecond', () => {
  const before = readMovie(buildMp4(fastStart)).movie
  const after = readMovie(clip).movie
  const withoutOffsets = (movie: typeof before) =>
    movie?.tracks.map(({ samples: { offsets: _, ...samples }, durationSeconds, edits, ...track }) => ({
      ...track,
      samples,
      ms: Math.round(durationSeconds * 1000),
      edits: edits.map((edit) => ({ ...edit, durationSeconds: Math.round(edit.durationSeconds * 1000) })),
    }))
  assert.equal(withoutOffsets(after), withoutOffsets(before))
})

for (const order of [
  ['ftyp', 'mdat', 'moov'],
  ['ftyp', 'free', 'mdat', 'moov'],
  ['ftyp', 'free', 'moov', 'free', 'mdat', 'meta'],
  ['ftyp', 'uuid', 'moov', 'mdat', 'skip'],
  ['moov', 'mdat'],
]) {
  test(`${order.join(', ')} become the same bytes`, () => {
    equalBytes(normalizeClip(buildMp4({ ...fastStart, order })), clip)
  })
}

test('what is normal already stays as it is', () => equalBytes(normalizeClip(clip), clip))

test('64-bit chunk offsets are moved too', () => {
  const tracks = [{ ...videoTrack, longOffsets: true }, audioTrack]
  assertSamplesKept(normalizeClip(buildMp4({ order: ['ftyp', 'mdat', 'moov'], tracks })))
})

test('several mdat boxes become one', () => {
  const source = buildMp4({ ...fastStart, order: ['ftyp', 'mdat', 'free', 'moov', 'mdat'] })
  const joined = normalizeClip(source)
  assert.equal(boxTypes(joined), ['ftyp', 'free', 'moov', 'mdat'])
  assertSamplesKept(joined)
})

test('boxes with other size forms become plain ones', () => {
  const source = buildMp4(fastStart)
  const mdat = readBoxes(source)?.find((box) => box.type === 'mdat')
  const toTheEnd = source.slice()
  toTheEnd.set([0, 0, 0, 0], mdat?.start ?? 0)
  equalBytes(normalizeClip(toTheEnd), clip)
})

test('the source is not touched', () => {
  const source = buildMp4(fastStart)
  const copy = source.slice()
  normalizeClip(source)
  equalBytes(source, copy)
})

const sampleTooLong = buildMp4(fastStart)
new DataView(sampleTooLong.buffer).setUint32(lastIndexOf(sampleTooLong, 'stsz') + 12 + 5 * 4, 5000)

function lastIndexOf(bytes: Uint8Array, type: string): number {
  return Buffer.from(bytes).lastIndexOf(type, undefined, 'latin1')
}

const refused: Record<string, Uint8Array> = {
  'no MP4': hex('ffd8ffd9 00000000'),
  'a cut file': buildMp4(fastStart).subarray(0, -1),
  'no samples': buildMp4({ ...fastStart, order: ['ftyp', 'moov'] }),
  'a sample that reaches beyond the file': sampleTooLong,
}

for (const [name, bytes] of Object.entries(refused)) {
  test(`refused: ${name}`, () => {
    assert.throws(() => normalizeClip(bytes), isFormatError('invalid-part'))
  })
}

test.run()
