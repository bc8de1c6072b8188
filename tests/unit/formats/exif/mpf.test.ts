import { concatBytes } from '@lantern-room/base/bytes'
import { placeMpfSegment, readMpf } from '#internal/formats/exif/mpf'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite('Multi-Picture Format index')

const segment = placeMpfSegment(0x01020304, undefined, 0)

test('the segment is APP2, MPF, one image of kind Baseline MP Primary', () => {
  const expected = hex(`
    ffe2 0048 4d504600 49492a00 08000000
    0300
    00b0 0700 04000000 30313030
    01b0 0400 01000000 01000000
    02b0 0700 10000000 32000000
    00000000
    00000300 04030201 00000000 0000 0000
  `)
  equalBytes(segment, expected)
})

test('what was written is read', () => {
  assert.equal(readMpf(segment.subarray(8)), [{ size: 0x01020304, offset: 0 }])
})

test('an index may be written big-endian', () => {
  const index = placeMpfSegment(0x1000, 0x200, 100, false).subarray(8)
  equalBytes(index.subarray(0, 8), hex('4d4d 002a 00000008'))
  assert.equal(readMpf(index), [
    { size: 0x1000, offset: 0 },
    { size: 0x200, offset: 0x1000 - (100 - index.length) },
  ])
})

test('a big-endian index of two images is read', () => {
  const index = hex(`
    4d4d 002a 00000008
    0001
    b002 0007 00000020 0000001a
    00000000
    20030000 00001000 00000000 0000 0000
    00000000 00000200 00000f00 0000 0000
  `)
  assert.equal(readMpf(index), [
    { size: 0x1000, offset: 0 },
    { size: 0x200, offset: 0xf00 },
  ])
})

test('no truncation throws or gives an image that is not there', () => {
  const whole = segment.subarray(8)
  for (let length = 0; length < whole.length; length++) {
    assert.is(readMpf(whole.subarray(0, length)), undefined, `${length} bytes`)
  }
  assert.is(readMpf(concatBytes([hex('58585858'), whole])), undefined)
})

test.run()
