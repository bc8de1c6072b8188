import { openTiff, type TiffDirectory } from '#internal/formats/exif/readTiff'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite('TIFF reader')

function directoryOf(digits: string): TiffDirectory {
  const structure = openTiff(hex(digits))
  if (!structure) throw new Error('no TIFF')
  return structure.directory(structure.first)
}

/** One of each type, with values in the entry and outside; the directory ends at 0x56. */
const big = `
  4d4d 002a 00000008
  0006
  0100 0003 00000001 0007ffff
  0101 0004 00000001 00010002
  0102 0001 00000001 09ffffff
  010e 0002 00000003 61620000
  010f 0002 00000006 00000056
  927c 0007 00000005 0000005c
  0000abcd
  206100420000
  0102030405 00`
const little = `
  4949 2a00 08000000
  0600
  0001 0300 01000000 0700ffff
  0101 0400 01000000 02000100
  0201 0100 01000000 09ffffff
  0e01 0200 03000000 61620000
  0f01 0200 06000000 56000000
  7c92 0700 05000000 5c000000
  cdab0000
  206100420000
  0102030405 00`

for (const [order, bytes] of [
  ['big', big],
  ['little', little],
] as const) {
  test(`every type is read where it lies (${order}-endian)`, () => {
    const structure = openTiff(hex(bytes))
    assert.equal([structure?.isLittle, structure?.first], [order === 'little', 8])
    const directory = directoryOf(bytes)
    assert.equal([...directory.entries.keys()], [0x0100, 0x0101, 0x0102, 0x010e, 0x010f, 0x927c])
    assert.equal([...directory.entries.values()], [10, 22, 34, 46, 58, 70])
    assert.is(directory.next, 0xabcd)
    assert.equal([0x0100, 0x0101, 0x0102].map(directory.number), [7, 0x10002, 9])
    assert.equal([0x010e, 0x010f].map(directory.text), ['ab', ' a'])
    equalBytes(directory.undefinedBytes(0x927c) ?? new Uint8Array(), hex('0102030405'))
  })
}

test('the first of several numbers is read where they lie', () => {
  // TIFF 6.0, section 2: only values of up to 4 bytes lie in the entry.
  const directory = directoryOf(`
    4d4d 002a 00000008
    0006
    0100 0003 00000002 00070008
    0101 0003 00000003 00000056
    0102 0004 00000002 0000005c
    0103 0001 00000004 09080706
    0104 0001 00000005 00000064
    0105 0003 00000003 00000067
    00000000
    000a000b000c
    1122334455667788
    2122232425`)
  assert.equal(
    [0x0100, 0x0101, 0x0102, 0x0103, 0x0104].map(directory.number),
    [7, 10, 0x11223344, 9, 0x21],
    'SHORT × 2 and × 3, LONG × 2, BYTE × 4 and × 5',
  )
  assert.is(directory.number(0x0105), undefined, 'numbers that are cut')
})

test('a value of another type, of none, or outside the structure is absent', () => {
  const directory = directoryOf(`
    4d4d 002a 00000008
    0005
    0100 0003 00000000 00070000
    0101 0002 00000005 0000004a
    0102 0007 00000005 00000049
    0103 0007 ffffffff ffffffff
    0104 0002 00000004 61626364
    00000000
    41424344`)
  assert.is(directory.number(0x0100), undefined, 'no number')
  assert.is(directory.text(0x0101), undefined, 'text that is cut by a byte')
  assert.equal(directory.undefinedBytes(0x0102), hex('0041424344'), 'bytes that just fit')
  assert.is(directory.undefinedBytes(0x0103), undefined, 'four gigabytes')
  assert.is(directory.text(0x0104), 'abcd', 'text without its zero byte')
  assert.is(directory.number(0x0104), undefined, 'text is no number')
  assert.is(directory.text(0x0102), undefined, 'bytes are no text')
  assert.is(directory.undefinedBytes(0x0104), undefined, 'text is not UNDEFINED')
  assert.is(directory.number(0x9999), undefined, 'a tag that is not there')
})

test('there is no directory in the header, and none outside the structure', () => {
  const structure = openTiff(hex('4d4d 002a 00000000 0001 0112 0003 00000001 00060000 00000000'))
  for (const start of [undefined, 0, 7, 25, 26, 0xffffffff])
    assert.equal([structure?.directory(start).entries.size, structure?.directory(start).next], [0, 0])
  assert.is(structure?.directory(8).number(0x0112), 6)
})

test('a slice lies in the structure, or there is none', () => {
  const structure = openTiff(hex('4949 2a00 08000000 0102'))
  equalBytes(structure?.slice(8, 2) ?? new Uint8Array(), hex('0102'))
  assert.is(structure?.slice(10, 0)?.length, 0)
  assert.is(structure?.slice(8, 3), undefined)
  assert.is(structure?.slice(11, 0), undefined)
  assert.is(structure?.slice(undefined, 1), undefined)
  assert.is(structure?.slice(8, undefined), undefined)
})

test('what is no TIFF structure is not opened', () => {
  const wrong = [
    '',
    '4949 2a00 080000',
    '4949 002a 08000000',
    '4d4d 2a00 00000008',
    '4d49 002a 00000008',
    '4949 2b00 08000000',
  ]
  for (const bytes of wrong) assert.is(openTiff(hex(bytes)), undefined, bytes)
})

test('every truncation has the entries that are whole, and the next directory only at the end', () => {
  const whole = hex(big)
  for (let length = 8; length < whole.length; length++) {
    const directory = openTiff(whole.subarray(0, length))?.directory(8)
    const count = Math.max(0, Math.min(6, Math.floor((length - 10) / 12)))
    assert.is(directory?.entries.size, count, `${length} bytes`)
    assert.is(directory?.next, length >= 86 ? 0xabcd : 0, `${length} bytes`)
    assert.is(directory?.text(0x010f), length >= 92 ? ' a' : undefined, `${length} bytes`)
  }
})

test.run()
