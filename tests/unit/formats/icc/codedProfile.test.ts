import { latin1 } from '@lantern-room/base/bytes'
import { profileOfCodes } from '#internal/formats/icc/codedProfile'
import { assert, suite } from '#support/runner/suite'

const test = suite('codedProfile')

const nameOf = (primaries: number, transfer: number) => {
  const profile = profileOfCodes(primaries, transfer)
  return profile instanceof Uint8Array ? latin1(profile).replaceAll('\0', '') : profile
}

test('colours of sRGB need no profile, also those of cameras and of light that is mapped', () => {
  for (const transfer of [1, 6, 13, 16, 18]) assert.is(nameOf(1, transfer), 'srgb')
  assert.is(nameOf(2, 2), 'srgb')
})

test('others are named in a profile', () => {
  assert.match(String(nameOf(12, 13)), 'Display P3')
  assert.match(String(nameOf(9, 14)), 'BT.2020')
  assert.match(String(nameOf(1, 4)), 'BT.709')
})

test('what is not known has none', () => {
  assert.equal([nameOf(3, 1), nameOf(10, 13), nameOf(12, 17), nameOf(9, 3)], Array(4).fill(undefined))
})

test.run()
