import * as assert from 'uvu/assert'
import { backwardBits, forwardBits, highestBit } from '#core/easytier/compression/zstd/bits'
import { suite } from '#support/runner/suite'

const test = suite('easytier: bit streams of zstd')

test('forward bits come from the first byte on, the lowest first', () => {
  const stream = forwardBits(Uint8Array.of(0xff, 0b1011_0100, 0x0f), 1)
  assert.equal([stream.end(), stream.read(3)], [1, 0b100])
  assert.is(stream.end(), 2, 'a byte begun counts as read')
  assert.equal([stream.read(5), stream.end(), stream.read(1)], [0b10110, 2, 1])
  stream.unread(1)
  assert.equal([stream.end(), stream.read(8), stream.end()], [2, 0x0f, 3])
})

test('24 bits are read across four bytes, without a sign', () => {
  const stream = forwardBits(Uint8Array.of(0x80, 0x01, 0x02, 0xff), 0)
  assert.equal([stream.read(7), stream.read(24)], [0, 0xfe0403])
})

test('forward bits beyond the last byte are refused', () => {
  const stream = forwardBits(Uint8Array.of(1, 2), 0)
  assert.equal([stream.read(16), stream.read(0)], [0x0201, 0])
  assert.throws(() => stream.read(1), /truncated/)
  assert.throws(() => forwardBits(Uint8Array.of(1), 0).read(9), /truncated/)
})

test('backward bits begin below the mark in the last byte, the highest first', () => {
  const stream = backwardBits(Uint8Array.of(0b1011_0100, 0b101))
  assert.equal([stream.left, stream.read(2), stream.peek(4), stream.left], [10, 0b01, 0b1011, 8])
  stream.skip(3)
  assert.equal([stream.read(5), stream.left], [0b10100, 0])
})

test('beyond the first byte, backward bits are zeros and `left` is negative', () => {
  const stream = backwardBits(Uint8Array.of(0b111))
  assert.equal([stream.peek(4), stream.read(5), stream.left, stream.peek(24)], [0b1100, 0b11000, -3, 0])
})

test('a backward stream without a mark is refused', () => {
  for (const bytes of [[], [0], [5, 0]])
    assert.throws(() => backwardBits(Uint8Array.from(bytes)), /no end mark/)
  assert.equal([backwardBits(Uint8Array.of(1)).left, backwardBits(Uint8Array.of(9, 0x80)).left], [0, 15])
})

test('the highest bit of a number', () => {
  assert.equal([1, 2, 3, 255, 256, 2 ** 31].map(highestBit), [0, 1, 1, 7, 8, 31])
})

test.run()
