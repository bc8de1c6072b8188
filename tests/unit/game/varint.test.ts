import * as fc from 'fast-check'
import { decodeVarint, encodeVarint } from '#internal/game/modernPing'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { hex } from '#support/values/hex'

const test = suite('varint')

const known: readonly (readonly [number, string])[] = [
  [0, '00'],
  [1, '01'],
  [127, '7f'],
  [128, '8001'],
  [255, 'ff01'],
  [25565, 'ddc701'],
  [2097151, 'ffff7f'],
  [2147483647, 'ffffffff07'],
  [-1, 'ffffffff0f'],
  [-2147483648, '8080808008'],
]

for (const [value, bytes] of known)
  test(`${value} is ${bytes}`, () => {
    assert.equal(encodeVarint(value), hex(bytes))
    assert.equal(decodeVarint(hex(`aa${bytes}aa`), 1), { value, end: 1 + bytes.length / 2 })
    for (let length = 0; length < bytes.length / 2; length++)
      assert.is(decodeVarint(hex(bytes).subarray(0, length), 0), 'partial')
  })

test('more than 32 bits and more than five bytes are invalid', () => {
  for (const bytes of ['ffffffff10', 'ffffffff7f', '8080808080', '808080808000', 'ffffffffffffffffff01'])
    assert.is(decodeVarint(hex(bytes), 0), 'invalid')
})

test('every integer of 32 bits comes back', () => {
  assertProperty(
    fc.property(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (value) => {
      const bytes = encodeVarint(value)
      assert.equal(decodeVarint(bytes, 0), { value, end: bytes.length })
    }),
  )
})

test.run()
