import { concatBytes } from '@lantern-room/base/bytes'
import fc from 'fast-check'
import { encodeAnnexB, encodeAvcSample, readAvcStream } from '#internal/mp4/avc/annexB'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { isRangeError } from '../../../support/values/failures'

const test = suite('an H.264 stream')

test('parameters and pictures are taken apart; messages and delimiters are left out', () => {
  const stream = readAvcStream(
    hex('00000001 0910 000001 6742 000001 68ce 000001 06050180 00000001 6588 000001 6508 000001 41 9a'),
  )
  assert.equal(stream.sps, hex('6742'))
  assert.equal(stream.pps, hex('68ce'))
  // The second slice begins with another macroblock than the first: it belongs to the same picture.
  assert.equal(stream.pictures, [[hex('6588'), hex('6508')], [hex('419a')]])
})

test('nothing is in an empty stream', () => {
  assert.equal(readAvcStream(new Uint8Array()), { sps: undefined, pps: undefined, pictures: [] })
})

test('a sample has each unit after its length', () => {
  assert.equal(encodeAvcSample([hex('6588'), hex('6508ff')]), hex('00000002 6588 00000003 6508ff'))
})

test('units come back whatever they hold, with start codes of three and four bytes', () => {
  // An encoder never writes a start code into a unit, nor a zero at its end.
  const unit = fc
    .uint8Array({ maxLength: 30 })
    .map((bytes) => Uint8Array.of(0x41, 0x80, ...bytes.map((byte) => byte | 1)))
  assertProperty(
    fc.property(fc.array(fc.tuple(unit, fc.boolean())), (units) => {
      const stream = units.flatMap(([bytes, isLong]) => [hex(isLong ? '00000001' : '000001'), bytes])
      const expected = units.map(([bytes]) => [bytes])
      assert.equal(readAvcStream(concatBytes(stream)).pictures, expected)
    }),
  )
})

test('lengths of any size become start codes', () => {
  const expected = [0, 0, 0, 1, 0x65, 1, 0, 0, 0, 1, 0x41]
  for (const [lengthSize, sample] of [
    [1, [2, 0x65, 1, 1, 0x41]],
    [2, [0, 2, 0x65, 1, 0, 1, 0x41]],
    [4, [0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x41]],
  ] as const)
    assert.equal(
      [...concatBytes(encodeAnnexB(Uint8Array.from(sample), lengthSize))],
      expected,
      `${lengthSize}`,
    )
  assert.equal(encodeAnnexB(new Uint8Array(), 4), [])
})

test('a unit that is cut anywhere is an error', () => {
  const sample = Uint8Array.of(0, 0, 0, 1, 0x65, 0, 0, 0, 2, 0x41, 7)
  for (let end = 1; end < sample.length; end += 1) {
    if (end === 5) continue
    assert.throws(() => encodeAnnexB(sample.subarray(0, end), 4), isRangeError)
  }
})

test.run()
