import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeMakerNote, readIdentifier, withIdentifier } from '#internal/formats/exif/makerNote'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite("Apple's MakerNote")

/** Apple's mark, then these bytes. */
const appleNote = (digits: string, ...parts: readonly Uint8Array[]) =>
  concatBytes([asciiBytes('Apple iOS\0'), hex(digits), ...parts])
const ID = '0BDF4D72-CF5E-4FFA-88F4-70E22B338693'

test('has one tag, whose text does not reach to its end', () => {
  const text = asciiBytes(`${ID}\0`)
  const expected = appleNote('0001 4d4d 0001 0011 0002 00000025 00000020 00000000', text, new Uint8Array(15))
  equalBytes(encodeMakerNote(ID), expected)
})

test('what was written is read, in either byte order', () => {
  assert.is(readIdentifier(encodeMakerNote(ID)), ID)
  const little = appleNote(
    '0001 4949 0200 0100 0900 01000000 10000000 1100 0200 05000000 2c000000 00000000',
    asciiBytes('abcd\0'),
  )
  assert.is(readIdentifier(little), 'abcd')
})

test('another note, one without the tag and one that is cut have none', () => {
  const note = encodeMakerNote(ID)
  assert.is(readIdentifier(undefined), undefined)
  assert.is(readIdentifier(asciiBytes('Nikon\0')), undefined)
  assert.is(readIdentifier(appleNote('0001 4d4d 0000')), undefined)
  for (let length = 0; length < 32 + 37; length++)
    assert.is(readIdentifier(note.subarray(0, length)), undefined)
})

const OTHER = '11111111-2222-4333-8444-555555555555'

test("an iPhone's note gets the identifier, or another one, and keeps what it says", () => {
  // Tag 1, a number in the entry; tag 3, eight bytes behind the list; as iPhones write them.
  const note = appleNote(
    '0001 4d4d 0002 0001 0009 00000001 0000000e 0003 0007 00000008 0000002c 00000000',
    asciiBytes('8 bytes.'),
  )
  const mended = withIdentifier(note, OTHER) ?? new Uint8Array()
  assert.is(readIdentifier(mended), OTHER)
  const expected = appleNote(
    `0001 4d4d 0003 0001 0009 00000001 0000000e 0003 0007 00000008 00000038
      0011 0002 00000025 00000040 00000000`,
    asciiBytes('8 bytes.'),
  )
  equalBytes(mended.subarray(0, 64), expected)
  const again = withIdentifier(mended, ID) ?? new Uint8Array()
  assert.is(readIdentifier(again), ID)
  equalBytes(again.subarray(56, 64), asciiBytes('8 bytes.'))
  assert.is(readIdentifier(withIdentifier(undefined, ID)), ID)
})

test("another maker's note, and one that is cut, get none", () => {
  assert.is(withIdentifier(asciiBytes('Nikon\0..............'), ID), undefined)
  const note = encodeMakerNote(ID)
  for (let length = 0; length < 32; length++)
    assert.is(withIdentifier(note.subarray(0, length), OTHER), undefined, String(length))
})

test.run()
