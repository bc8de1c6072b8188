import { asciiBytes, concatBytes, viewOf } from '@lantern-room/base/bytes'
import { readNow } from '@lantern-room/mp4/source'
import { LARGE_ZIP, readZipDirectory, zipRecordStart } from '#internal/formats/zip/zipDirectory'
import { assert, suite } from '#support/runner/suite'

const test = suite('directories of large ZIPs')

const NAME = asciiBytes('a.jpg')
const CONTENT = asciiBytes('content')

function numbers(...fields: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Uint8Array {
  return concatBytes(
    fields.map(([bytes, value]) => {
      const field = new Uint8Array(bytes)
      if (bytes === 2) viewOf(field).setUint16(0, value, true)
      if (bytes === 4) viewOf(field).setUint32(0, value, true)
      if (bytes === 8) viewOf(field).setBigUint64(0, BigInt(value), true)
      return field
    }),
  )
}

/** @see APPNOTE.TXT 6.3.10, 4.3 and 4.5.3 */
function zip64(): Uint8Array {
  const header = concatBytes([
    numbers([4, 0x04034b50], [2, 45], [2, 0], [2, 0], [4, 0], [4, 7], [4, 7], [4, 7], [2, 5], [2, 0]),
    NAME,
    CONTENT,
  ])
  const extra = numbers([2, 9], [2, 4], [4, 1], [2, 1], [2, 24], [8, 7], [8, 7], [8, 0])
  const all = 0xffffffff
  const record = concatBytes([
    numbers(
      [4, 0x02014b50],
      [2, 45],
      [2, 45],
      [2, 1],
      [2, 0],
      [4, 0],
      [4, 7],
      [4, all],
      [4, all],
      [2, 5],
      [2, extra.length],
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, all],
    ),
    NAME,
    extra,
  ])
  const end64 = numbers(
    [4, 0x06064b50],
    [8, 44],
    [2, 45],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, 1],
    [8, 1],
    [8, record.length],
    [8, header.length],
  )
  const locator = numbers([4, 0x07064b50], [4, 0], [8, header.length + record.length], [4, 1])
  const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, 0xffff], [2, 0xffff], [4, all], [4, all], [2, 0])
  return concatBytes([header, record, end64, locator, end])
}

test('numbers that have no room in 32 bits are read from their own fields', () => {
  const zip = zip64()
  const file = { size: zip.length }
  const [record] = readNow(readZipDirectory(file, LARGE_ZIP), zip) ?? []
  assert.equal(record, {
    name: 'a.jpg',
    method: 0,
    isEncrypted: true,
    headerAt: 0,
    size: 7,
    unpackedSize: 7,
    crc: 7,
  })
  const start = record && readNow(zipRecordStart(file, record), zip)
  assert.equal(start !== undefined && zip.subarray(start, start + 7), CONTENT)
})

test('no truncation is read', () => {
  const zip = zip64()
  for (let length = 0; length < zip.length; length += 1)
    assert.is(readNow(readZipDirectory({ size: length }, LARGE_ZIP), zip.subarray(0, length)), undefined)
})

test('a directory beyond the limits is not read', () => {
  const zip = zip64()
  const limits = { maxEntries: 0, maxDirectoryBytes: 1000 }
  assert.is(readNow(readZipDirectory({ size: zip.length }, limits), zip), undefined)
})

test.run()
