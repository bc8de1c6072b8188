import { createByteBuffer } from '#internal/base/bytes/byteBuffer'
import { assert, suite } from '#support/runner/suite'

const test = suite('byte buffer')

const bytes = (...values: number[]) => Uint8Array.from(values)

test('bytes come out in the order in which they were appended', () => {
  const buffer = createByteBuffer()
  assert.equal([buffer.size(), buffer.view()], [0, bytes()])
  for (let value = 0; value < 200; value++) buffer.append(bytes(value))
  assert.is(buffer.size(), 200)
  assert.equal(
    buffer.view(),
    Uint8Array.from({ length: 200 }, (_, at) => at),
  )
})

test('dropped bytes are gone, wherever the pieces end', () => {
  for (let dropped = 0; dropped <= 6; dropped++) {
    const buffer = createByteBuffer()
    for (const piece of [bytes(1, 2), bytes(3), bytes(4, 5, 6)]) buffer.append(piece)
    buffer.drop(dropped)
    assert.equal(buffer.view(), bytes(1, 2, 3, 4, 5, 6).subarray(dropped))
    buffer.append(bytes(7))
    assert.equal(buffer.view(), bytes(1, 2, 3, 4, 5, 6, 7).subarray(dropped))
  }
})

test('no more is dropped than there is', () => {
  const buffer = createByteBuffer()
  buffer.append(bytes(1, 2))
  buffer.drop(5)
  assert.is(buffer.size(), 0)
  buffer.append(bytes(3))
  assert.equal(buffer.view(), bytes(3))
})

test('an appended array is never written to', () => {
  const first = bytes(1, 2, 3)
  const buffer = createByteBuffer()
  buffer.append(first)
  buffer.drop(1)
  buffer.append(bytes(4, 5))
  assert.equal([first, buffer.view()], [bytes(1, 2, 3), bytes(2, 3, 4, 5)])
})

test.run()
