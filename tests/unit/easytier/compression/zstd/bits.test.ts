import { backwardBits, forwardBits, highestBit } from '#core/easytier/compression/zstd/bits'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: bit streams of zstd')

test('forward bits come from the first byte on, the lowest first', () => {
  const stream = forwardBits(Uint8Array.of(0xff, 0b1011_0100, 0x0f), 1)
  assert.is(stream.end(), 1)
  assert.is(stream.read(3), 0b100)
  assert.is(stream.end(), 2, 'a byte begun counts as read')
  assert.is(stream.read(5), 0b10110)
  assert.is(stream.end(), 2)
  assert.is(stream.read(1), 1)
  stream.unread(1)
  assert.is(stream.end(), 2)
  assert.is(stream.read(8), 0x0f)
  assert.is(stream.end(), 3)
})

test('24 bits are read across four bytes, without a sign', () => {
  const stream = forwardBits(Uint8Array.of(0x80, 0x01, 0x02, 0xff), 0)
  assert.is(stream.read(7), 0)
  assert.is(stream.read(24), 0xfe0403)
})

test('forward bits beyond the last byte are refused', () => {
  const stream = forwardBits(Uint8Array.of(1, 2), 0)
  assert.is(stream.read(16), 0x0201)
  assert.is(stream.read(0), 0)
  assert.throws(() => stream.read(1), /truncated/)
  assert.throws(() => forwardBits(Uint8Array.of(1), 0).read(9), /truncated/)
})

test('backward bits begin below the mark in the last byte, the highest first', () => {
  const stream = backwardBits(Uint8Array.of(0b1011_0100, 0b101))
  assert.is(stream.left, 10)
  assert.is(stream.read(2), 0b01)
  assert.is(stream.peek(4), 0b1011)
  assert.is(stream.left, 8)
  stream.skip(3)
  assert.is(stream.read(5), 0b10100)
  assert.is(stream.left, 0)
})

test('beyond the first byte, backward bits are zeros and `left` is negative', () => {
  const stream = backwardBits(Uint8Array.of(0b111))
  assert.is(stream.peek(4), 0b1100)
  assert.is(stream.read(5), 0b11000)
  assert.is(stream.left, -3)
  assert.is(stream.peek(24), 0)
})

test('a backward stream without a mark is refused', () => {
  for (const bytes of [[], [0], [5, 0]])
    assert.throws(() => backwardBits(Uint8Array.from(bytes)), /no end mark/)
  assert.is(backwardBits(Uint8Array.of(1)).left, 0)
  assert.is(backwardBits(Uint8Array.of(9, 0x80)).left, 15)
})

test('the highest bit of a number', () => {
  assert.equal([1, 2, 3, 255, 256, 2 ** 31].map(highestBit), [0, 1, 1, 7, 8, 31])
})
