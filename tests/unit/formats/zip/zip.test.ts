import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { crc32, zipPieces } from '#internal/formats/zip/zip'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'
import { zipEntries } from '../../../support/values/zipEntries'

const test = suite('ZIP')

const noon = { year: 2024, month: 5, day: 6, hour: 7, minute: 8, second: 9 }

test('the checksum is that of the standard', () => {
  assert.is(crc32(asciiBytes('123456789')), 0xcbf43926)
  assert.is(crc32(new Uint8Array()), 0)
})

test('one file: header, bytes, directory, end', () => {
  equalBytes(
    concatBytes(zipPieces([{ name: 'a', bytes: asciiBytes('123456789') }], noon)),
    concatBytes([
      hex('504b0304 1400 0008 0000 0439 a658 2639f4cb 09000000 09000000 0100 0000 61'),
      asciiBytes('123456789'),
      hex('504b0102 1403 1400 0008 0000 0439 a658 2639f4cb 09000000 09000000 0100 0000'),
      hex('0000 0000 0000 0000a481 00000000 61'),
      hex('504b0506 0000 0000 0100 0100 2f000000 28000000 0000'),
    ]),
  )
})

test('names are UTF-8, and files are found by another reader', () => {
  const files = [
    { name: 'Größe.txt', bytes: asciiBytes('one') },
    { name: 'b/c', bytes: new Uint8Array(1000) },
  ]
  const entries = zipEntries(Buffer.from(concatBytes(zipPieces(files, noon))))
  assert.equal(entries, [
    { name: 'Größe.txt', size: 3, mode: 0o644 },
    { name: 'b/c', size: 1000, mode: 0o644 },
  ])
})

test('the bytes of files are not copied', () => {
  const bytes = asciiBytes('as they are')
  assert.is(zipPieces([{ name: 'x', bytes }], noon)[1], bytes)
})

test('a time that a ZIP cannot have is the nearest', () => {
  const stamp = (year: number) =>
    zipPieces([{ name: 'x', bytes: hex('00') }], { ...noon, year })[0]?.slice(10, 14)
  equalBytes(stamp(1969) ?? hex(''), hex('0000 2100'))
  equalBytes(stamp(9999) ?? hex(''), stamp(2107) ?? hex(''))
})

test('no files are an empty ZIP', () => {
  equalBytes(concatBytes(zipPieces([], noon)), concatBytes([hex('504b0506'), new Uint8Array(18)]))
})

test.run()
