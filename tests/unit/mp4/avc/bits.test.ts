import fc from 'fast-check'
import {
  readBits,
  replaceBits,
  withEmulationPrevention,
  withoutEmulationPrevention,
} from '#internal/mp4/avc/bits'
import { hex, toHex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { isRangeError } from '../../../support/values/failures'
import { payload, textOf } from './payload'

const test = suite('bits of a unit')

test('numbers are read one after the other; beyond the end there are zeros', () => {
  const reader = readBits(payload('101 1 010 011 00100 000010000'))
  assert.is(reader.bits(3), 5)
  assert.equal(
    [1, 2, 3, 4, 5].map(() => reader.unsigned()),
    [0, 1, 2, 3, 15],
  )
  assert.is(reader.position(), 24)
  assert.equal([reader.bits(1), reader.bits(32)], [1, 0])
  assert.is(readBits(hex('00000001 80000001 00')).unsigned(), 2 ** 31 - 1 + 2 ** 30)
})

test('bits are replaced by fewer or more, and what follows moves', () => {
  const change = (from: number, to: number, value: number, bits: number) => [{ from, to, value, bits }]
  const bytes = payload('1111 0000 1010 101')
  assert.is(textOf(replaceBits(bytes, [])), '111100001010101')
  assert.is(textOf(replaceBits(bytes, change(4, 8, 0, 0))), '11111010101')
  assert.is(textOf(replaceBits(bytes, change(4, 5, 5, 3))), '11111010001010101')
  const both = [...change(0, 1, 0, 1), ...change(8, 12, 0x3ff, 10)]
  assert.is(textOf(replaceBits(bytes, both)), '0111 0000 1111111111 101'.replaceAll(' ', ''))
  assert.throws(() => replaceBits(hex('0000'), []), isRangeError)
})

test('any bits are replaced as they would be in a text', () => {
  const text = (max: number) => fc.stringMatching(new RegExp(`^[01]{0,${max}}$`))
  assertProperty(
    fc.property(text(70), text(12), text(70), text(12), text(200), (head, old, middle, now, tail) => {
      const bytes = payload(head + old + middle + old + tail)
      const value = Number.parseInt(now || '0', 2)
      const first = { from: head.length, to: head.length + old.length, value, bits: now.length }
      const at = first.to + middle.length
      const changed = replaceBits(bytes, [first, { ...first, from: at, to: at + old.length }])
      assert.is(textOf(changed), head + now + middle + now + tail)
      assert.equal(changed, payload(head + now + middle + now + tail))
    }),
  )
})

test('bytes keep start codes out of a unit', () => {
  for (const [plain, safe] of [
    ['00 00 01', '00 00 03 01'],
    ['00 00 00 00 01', '00 00 03 00 00 03 01'],
    ['00 00 03 80', '00 00 03 03 80'],
    ['00 00 04', '00 00 04'],
    ['00 03 00 00 02', '00 03 00 00 03 02'],
    ['03 00 03', '03 00 03'],
  ] as const) {
    assert.is(toHex(withEmulationPrevention(hex(plain))), toHex(hex(safe)))
    assert.is(toHex(withoutEmulationPrevention(hex(safe))), toHex(hex(plain)))
  }
})

test('with them no unit has a start code, and without them it is what it was', () => {
  const byte = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 5 }))
  assertProperty(
    fc.property(fc.array(byte, { maxLength: 60 }), (bytes) => {
      const plain = Uint8Array.of(...bytes, 0x80)
      const safe = withEmulationPrevention(plain)
      assert.not.match(toHex(safe).match(/../g)?.join(' ') ?? '', /00 00 0[0-2]/)
      assert.equal(withoutEmulationPrevention(safe), plain)
    }),
    { numRuns: 300 },
  )
})

test.run()
