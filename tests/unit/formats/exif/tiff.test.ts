import { encodeTiff, type TiffTag } from '#internal/formats/exif/tiff'
import { hex, toHex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite('TIFF writer')

test('a TIFF of one directory is these bytes', () => {
  const bytes = encodeTiff([
    [
      { tag: 0x0131, ascii: 'abcd' },
      { tag: 0x0112, short: 1 },
      { tag: 0x8897, byteValues: [1] },
    ],
  ])
  equalBytes(
    bytes,
    hex(`
      4949 2a00 08000000
      0300
      1201 0300 01000000 01000000
      3101 0200 05000000 32000000
      9788 0100 01000000 01000000
      00000000
      61626364 0000
    `),
  )
})

test('directories follow each other and hold each other', () => {
  const bytes = encodeTiff([
    [{ tag: 0x8769, ifd: [{ tag: 0xa002, long: 0x01020304 }] }],
    [{ tag: 0x0201, blob: hex('aabbcc') }],
  ])
  equalBytes(
    bytes,
    hex(`
      4949 2a00 08000000
      0100 6987 0400 01000000 1a000000 2c000000
      0100 02a0 0400 01000000 04030201 00000000
      0100 0102 0400 01000000 3e000000 00000000
      aabbcc 00
    `),
  )
})

// The entry without its tag, and what lies outside: the only directory ends at 0x1a.
const values: Record<string, [tag: Omit<TiffTag, 'tag'>, entry: string, outside: string]> = {
  'a byte': [{ byteValues: [0xab] }, '01000100 0000ab00 0000', ''],
  'a short': [{ short: 0x0102 }, '03000100 00000201 0000', ''],
  'a long': [{ long: 0x01020304 }, '04000100 00000403 0201', ''],
  'a rational': [{ rationals: [[72, 1]] }, '05000100 00001a00 0000', '48000000 01000000'],
  'text that fits with its zero byte': [{ ascii: 'abc' }, '02000400 00006162 6300', ''],
  'text that does not fit': [{ ascii: 'abcd' }, '02000500 00001a00 0000', '61626364 0000'],
  'bytes that fit': [{ bytes: hex('01020304') }, '07000400 00000102 0304', ''],
  'bytes that do not fit': [{ bytes: hex('0102030405') }, '07000500 00001a00 0000', '01020304 0500'],
}
for (const [name, [value, entry, outside]] of Object.entries(values)) {
  test(`${name} is encoded as these bytes`, () => {
    const bytes = encodeTiff([[{ tag: 0x0131, ...value } as TiffTag]])
    assert.is(toHex(bytes.subarray(12, 22)), toHex(hex(entry)))
    assert.is(toHex(bytes.subarray(26)), toHex(hex(outside)))
  })
}

test.run()
