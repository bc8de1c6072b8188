import { concatBytes } from '@lantern-room/base/bytes'
import { encodeBox, uint32s } from '#internal/mp4/movie/boxes'
import { readMovie } from '#internal/mp4/movie/movie'
import { readIndex } from '#internal/mp4/movie/readIndex'
import { bytesSource, joinSources } from '#internal/mp4/source/byteSource'
import { countingSource, zerosSource } from '../../../support/media/countingSource'
import { assert, suite } from '../../../support/runner/suite'
import { buildMp4, fastStart, videoTrack } from './sampleMp4'

const test = suite('the index of a file')

const last = { ...fastStart, order: ['ftyp', 'mdat', 'moov'] }

test('it is what the whole file says, wherever it lies', async () => {
  for (const order of [
    ['ftyp', 'moov', 'mdat'],
    ['ftyp', 'free', 'mdat', 'moov'],
    ['mdat', 'moov'],
    ['ftyp', 'wide', 'mdat', 'mdat', 'udta', 'moov', 'free'],
  ]) {
    const file = buildMp4({ ...fastStart, order })
    assert.equal(await readIndex(bytesSource(file)), readMovie(file), order.join(' '))
  }
})

test('behind gigabytes of samples it costs two reads', async () => {
  const moov = buildMp4(fastStart).subarray(32)
  const index = moov.subarray(0, new DataView(moov.buffer, moov.byteOffset).getUint32(0))
  const size = 5_000_000_000
  const ftyp = buildMp4(fastStart).subarray(0, 32)
  const mdat = concatBytes([
    uint32s(1),
    Uint8Array.from('mdat', (letter) => letter.charCodeAt(0)),
    uint32s(1, 0),
  ])
  new DataView(mdat.buffer).setBigUint64(8, BigInt(size - ftyp.length - index.length))
  const head = concatBytes([ftyp, mdat])
  const samples = zerosSource(size - head.length - index.length)
  const { source, reads } = countingSource(joinSources([bytesSource(head), samples, bytesSource(index)]))
  const { movie } = await readIndex(source)
  assert.is(movie?.tracks.length, 2)
  assert.equal(reads.map(String), ['0,65536', `${size - index.length},${size}`])
})

test('an index larger than a window is read whole', async () => {
  const many = { ...videoTrack, chunks: Array.from({ length: 5000 }, () => [3, 4, 5, 6]), sync: [1] }
  for (const order of [['ftyp', 'moov', 'mdat'], last.order]) {
    const file = buildMp4({ order, tracks: [many] })
    assert.equal(await readIndex(bytesSource(file)), readMovie(file))
  }
})

test('a media box of size 0 reaches to the end, so that no index can follow', async () => {
  const file = concatBytes([
    encodeBox('ftyp', new Uint8Array(16)),
    uint32s(0),
    new TextEncoder().encode('mdat'),
  ])
  assert.equal(await readIndex(bytesSource(file)), { problem: 'incomplete' })
})

test('what is no such file is said, and never a crash', async () => {
  const whole = buildMp4(last)
  for (const [bytes, problem] of [
    [new Uint8Array(), 'not-mp4'],
    [Uint8Array.from({ length: 40 }, () => 0xff), 'not-mp4'],
    [encodeBox('ftyp', new Uint8Array(16)), 'incomplete'],
    [concatBytes([encodeBox('ftyp', new Uint8Array(16)), encodeBox('moof')]), 'fragmented'],
    [concatBytes([encodeBox('ftyp', new Uint8Array(16)), uint32s(3, 5)]), 'malformed'],
    [concatBytes([encodeBox('ftyp', new Uint8Array(16)), encodeBox('moov')]), 'malformed'],
    [concatBytes(Array.from({ length: 1000 }, () => encodeBox('free'))), 'incomplete'],
  ] as const) {
    assert.equal(await readIndex(bytesSource(bytes)), { problem })
  }
  for (let length = 0; length < whole.length; length++) {
    assert.is((await readIndex(bytesSource(whole.subarray(0, length)))).movie, undefined, String(length))
  }
})

test.run()
