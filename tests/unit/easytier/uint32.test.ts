import { uint32At, writeUint32 } from '#internal/easytier/uint32'
import { assert, suite } from '#support/runner/suite'

const test = suite('numbers of packets')

test('a number of four bytes is little-endian and unsigned', () => {
  assert.is(uint32At(Uint8Array.of(0, 0x78, 0x56, 0x34, 0xf2), 1), 0xf234_5678)
  const bytes = new Uint8Array(6)
  writeUint32(bytes, 1, 0xf234_5678)
  assert.equal([...bytes], [0, 0x78, 0x56, 0x34, 0xf2, 0])
})

test('bytes beyond the end of a number count as 0', () => {
  assert.is(uint32At(Uint8Array.of(1, 2), 0), 0x0201)
  assert.is(uint32At(Uint8Array.of(1, 2), 2), 0)
})

test.run()
