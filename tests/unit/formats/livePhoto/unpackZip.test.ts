import { bytesSource, readNow } from '@lantern-room/mp4/source'
import { zipSync } from 'fflate'
import { findLivePair } from '#internal/formats/livePhoto/inspectLivePhoto'
import { openUnpacked } from '#internal/formats/livePhoto/unpackZip'
import { countingSource } from '#support/media/countingSource'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { rejectedFormatError } from '#support/values/failures'
import { livePhotoZip, movie, still } from './sampleLivePhoto'

const test = suite('compressed Live Photos')

const RECORD = 'PK\x01\x02'
const packed = zipSync({ 'a.JPG': [still, { level: 9 }], 'b.txt': still, 'a.MOV': [movie, { level: 9 }] })

const open = (zip: Uint8Array) => openUnpacked(bytesSource(zip))

async function unpacked(zip: Uint8Array): Promise<Uint8Array> {
  const source = await open(zip)
  return source.read(0, source.size)
}

/** The ZIP with a number of four bytes in each record of its directory changed. */
function withNumber(zip: Uint8Array, at: number, change: (value: number) => number): Uint8Array {
  const changed = Buffer.from(zip)
  for (let record = changed.indexOf(RECORD); record >= 0; record = changed.indexOf(RECORD, record + 1)) {
    changed.writeUInt32LE(change(changed.readUInt32LE(record + at)), record + at)
  }
  return changed
}

test('photo and video come out as they went in, and nothing else', async () => {
  const zip = await unpacked(packed)
  const pair = readNow(findLivePair({ size: zip.length }), zip)
  equalBytes(zip.subarray(pair.still.start, pair.still.start + pair.still.size), still)
  equalBytes(zip.subarray(pair.movie.start, pair.movie.start + pair.movie.size), movie)
  assert.equal([pair.still.name, pair.movie.name], ['a.JPG', 'a.MOV'])
  assert.is(Buffer.from(zip).indexOf('b.txt'), -1)
})

test('one of both may be stored', async () => {
  const zip = await unpacked(zipSync({ 'a.JPG': [still, { level: 0 }], 'a.MOV': [movie, { level: 6 }] }))
  const pair = readNow(findLivePair({ size: zip.length }), zip)
  equalBytes(zip.subarray(pair.still.start, pair.still.start + pair.still.size), still)
})

test('what is no ZIP, and one without compression, stays where it is', async () => {
  for (const bytes of [still, livePhotoZip, new Uint8Array()]) {
    const source = bytesSource(bytes)
    assert.is(await openUnpacked(source), source)
  }
})

test('files that declare more than 64 MiB together are refused before they are read', async () => {
  const { source, reads } = countingSource(bytesSource(withNumber(packed, 24, () => 33 * 2 ** 20)))
  await rejectedFormatError(openUnpacked(source), 'too-large')
  assert.ok(reads.length <= 3, `${reads.length} reads`)
})

test('a bomb ends where it is longer than it declares', async () => {
  const bomb = zipSync({ 'a.JPG': [new Uint8Array(2 ** 26), { level: 9 }], 'a.MOV': [movie, { level: 9 }] })
  assert.ok(bomb.length > 4 * 16_384)
  const { source, reads } = countingSource(bytesSource(withNumber(bomb, 24, () => 5000)))
  const { detail } = await rejectedFormatError(openUnpacked(source), 'damaged')
  assert.match(detail, /^a\.JPG in the ZIP is damaged/)
  assert.ok(reads.length <= 4, `${reads.length} reads: more than one piece of it was unpacked`)
})

test('a damaged, a cut and a shorter file are refused by their name', async () => {
  const damaged = packed.slice()
  damaged.fill(0xff, 40, 60)
  const cases = [
    damaged,
    withNumber(packed, 16, (crc) => (crc ^ 1) >>> 0),
    withNumber(packed, 20, (size) => size - 1),
    withNumber(packed, 24, (size) => size + 1),
  ]
  for (const zip of cases) {
    const { detail } = await rejectedFormatError(open(zip), 'damaged')
    assert.match(detail, /^a\.JPG in the ZIP is damaged, encrypted.*zip -0/)
  }
})

test.run()
