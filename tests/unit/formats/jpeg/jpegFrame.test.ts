import { isFrameHeader, readFrame } from '#internal/formats/jpeg/jpegFrame'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('frame header of a JPEG')

test('SOF0 to SOF15 are frame headers, what else shares their range is not', () => {
  const markers = Array.from({ length: 256 }, (_, marker) => marker).filter(isFrameHeader)
  assert.equal(markers, [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])
})

test('a frame has a size and the ids of its components', () => {
  const segment = hex('ffc0 000e 08 0008 0110 02 010000 020000')
  assert.equal(readFrame(segment), { width: 0x110, height: 8, components: [1, 2] })
})

const broken: Record<string, string> = {
  'without a number of components': 'ffc0 0007 08 0008 0010',
  'without components': 'ffc0 0008 08 0008 0010 00',
  'without room for its components': 'ffc0 000b 08 0008 0008 02 010000',
}
for (const [name, bytes] of Object.entries(broken)) {
  test(`no frame: ${name}`, () => assert.is(readFrame(hex(bytes)), undefined))
}

test.run()
