import fc from 'fast-check'
import { concatBytes } from '#core/bytes'
import { entropyEnd } from '#core/formats/jpeg/jpeg'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { hex } from '../hex'

const test = suite('entropy-coded data of a JPEG')

const EOI = hex('ffd9')

const ends: Record<string, [bytes: string, end: number]> = {
  'no data': ['ffd9', 0],
  'data without a marker': ['1122', 2],
  'restarts and stuffed bytes': ['11 ff00 22 ffd0 33 ffd7 44 ff00 ff00 ffd9', 14],
  'fill bytes before the marker': ['11 ff ff ffc4', 3],
  'a marker that is cut': ['11 ff', 2],
  'a marker right after a restart': ['ffd0 ffda', 2],
}
for (const [name, [bytes, end]] of Object.entries(ends)) {
  test(`the end of ${name}`, () => assert.is(entropyEnd(hex(bytes), 0), end))
}

test('what precedes the data is not searched', () => {
  assert.is(entropyEnd(hex('ffc4 11 22 ffd9'), 2), 4)
})

test('the end is found at any place in memory, whatever surrounds it', () => {
  const data = fc
    .uint8Array({ maxLength: 40 })
    .map((bytes) => Uint8Array.from([...bytes].flatMap((byte) => (byte === 0xff ? [0xff, 0] : [byte]))))
  assertProperty(
    fc.property(data, fc.nat({ max: 7 }), fc.uint8Array({ maxLength: 9 }), (scan, shift, rest) => {
      const memory = concatBytes([new Uint8Array(shift), scan, EOI, rest])
      assert.is(entropyEnd(memory.subarray(shift), 0), scan.length)
    }),
  )
})

test.run()
