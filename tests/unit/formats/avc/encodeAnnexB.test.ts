import { concatBytes } from '#core/bytes'
import { encodeAnnexB, parameterSets } from '#core/formats/avc/annexB'
import { assert, suite } from '../../../support/runner/suite'
import { isRangeError } from '../../../support/values/failures'

const test = suite('encoding to Annex B')

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

test('the sequence parameter sets come before those of the pictures', () => {
  const avc = {
    bytes: new Uint8Array(),
    profile: 66,
    compatibility: 0xc0,
    level: 31,
    lengthSize: 4,
    sps: [Uint8Array.of(0x67, 1)],
    pps: [Uint8Array.of(0x68, 2), Uint8Array.of(0x68, 3)],
  }
  const expected = [0, 0, 0, 1, 0x67, 1, 0, 0, 0, 1, 0x68, 2, 0, 0, 0, 1, 0x68, 3]
  assert.equal([...concatBytes(parameterSets(avc))], expected)
})

test.run()
