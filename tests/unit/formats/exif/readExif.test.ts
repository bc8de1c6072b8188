import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import fc from 'fast-check'
import { readExif } from '#internal/formats/exif/readExif'
import { encodeTiff, type TiffTag } from '#internal/formats/exif/tiff'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { damagedCopies } from '../../../support/values/damagedCopies'
import { noExif } from '../motionPhoto/samplePhoto'

const test = suite('EXIF reader')

const tiff = encodeTiff([
  [
    { tag: 0x0112, short: 6 },
    { tag: 0x0131, ascii: 'Lantern Room' },
    { tag: 0x8769, ifd: [{ tag: 0x9011, ascii: '+02:00' }] },
  ],
  [
    { tag: 0x0201, blob: hex('ffd8ff') },
    { tag: 0x0202, long: 3 },
  ],
])

test('little-endian EXIF is read', () => {
  const told = { offsetTime: '+02:00', software: 'Lantern Room', orientation: 6, thumbnail: hex('ffd8ff') }
  assert.equal(readExif(tiff), { ...noExif, ...told })
})

test('big-endian EXIF is read too, and the Xiaomi tag in the inner directory', () => {
  const bytes = hex(`
    4d4d 002a 00000008
    0004
    0112 0003 00000001 00060000
    0132 0002 00000014 0000003e
    0131 0002 00000003 61620000
    8769 0004 00000001 00000052
    00000000
    323032363a30333a30342030353a30363a303700
    0001 8897 0001 00000001 01000000 00000000
  `)
  const exif = readExif(bytes)
  assert.equal([exif?.orientation, exif?.dateTime], [6, '2026:03:04 05:06:07'])
  assert.equal([exif?.software, exif?.xiaomiMark, exif?.thumbnail], ['ab', 'ExifIFD', undefined])
})

test('every truncation is read as far as it goes', () => {
  for (let length = 0; length < tiff.length; length++) {
    const exif = readExif(tiff.subarray(0, length))
    assert.is(exif === undefined, length < 8, `${length} bytes`)
    // The thumbnail is the last value; one byte after it makes the length even.
    assert.is(exif?.thumbnail !== undefined, length === tiff.length - 1, `${length} bytes`)
  }
})

test('no byte changed anywhere makes the reader throw', () => {
  assertProperty(
    fc.property(damagedCopies(tiff), (broken) => void readExif(broken)),
    { numRuns: 2000 },
  )
  const head = fc.constantFrom(hex('49492a00'), hex('4d4d002a'))
  assertProperty(
    fc.property(head, fc.uint8Array({ maxLength: 80 }), (...parts) => void readExif(concatBytes(parts))),
  )
})

test('a directory that names itself does not hang the reader', () => {
  assert.ok(readExif(hex('49492a00 08000000 0100 6987 0400 01000000 08000000 08000000')))
})

test('an entry of an unexpected type or a value outside the bytes counts as absent', () => {
  const exif = readExif(
    encodeTiff([
      [
        { tag: 0x0112, ascii: '6' },
        { tag: 0x0131, short: 1 },
        { tag: 0x8897, byteValues: [2] },
      ],
      [
        { tag: 0x0201, long: 8 },
        { tag: 0x0202, long: 1000 },
      ],
    ]),
  )
  const { orientation, software, xiaomiMark, thumbnail } = exif ?? {}
  assert.equal([orientation, software, xiaomiMark, thumbnail], Array(4).fill(undefined))
})

test('an offset of the original time outranks that of the file time', () => {
  const times = (original: string | undefined) => [
    { tag: 0x9010, ascii: '+01:00' },
    ...(original === undefined ? [] : [{ tag: 0x9011, ascii: original }]),
  ]
  const offsetOf = (original?: string) =>
    readExif(encodeTiff([[{ tag: 0x8769, ifd: times(original) }]]))?.offsetTime
  assert.is(offsetOf('+02:00'), '+02:00')
  assert.is(offsetOf(), '+01:00')
})

test('words of a person are read in every code and type in which programs write them', () => {
  const commentIn = (
    tag: Omit<Extract<TiffTag, { readonly bytes: Uint8Array }>, 'tag'> | { readonly ascii: string },
  ) => readExif(encodeTiff([[{ tag: 0x8769, ifd: [{ tag: 0x9286, ...tag }] }]]))?.userComment
  for (const [bytes, words] of [
    ['ASCII\0\0\0my words\0', 'my words'],
    ['UNICODE\0\0m\0y', 'my'],
    ['UNICODE\0m\0y\0', 'my'],
    ['my words', 'my words'],
    ['mine', 'mine'],
    ['\0\0\0\0\0\0\0\0  ', ''],
    ['ASCII\0\0\0    ', ''],
    ['UNICODE\0\0 \0 ', ''],
  ] as const)
    assert.is(commentIn({ bytes: asciiBytes(bytes) }), words, bytes)
  assert.is(commentIn({ ascii: 'my words' }), 'my words')
})

test.run()
