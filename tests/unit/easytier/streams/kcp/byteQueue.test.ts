import { ByteQueue } from '#core/easytier/streams/kcp/byteQueue'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: queue of bytes', { setUp: () => new ByteQueue() })

const bytes = (...values: number[]) => Uint8Array.from(values)

test('bytes come out in order, in pieces of any size', (queue) => {
  for (const piece of [bytes(1, 2, 3), bytes(), bytes(4), bytes(5, 6)]) queue.add(piece)
  assert.is(queue.size, 6)
  assert.equal(queue.take(2), bytes(1, 2))
  assert.equal(queue.take(3), bytes(3, 4, 5))
  assert.is(queue.size, 1)
  assert.equal(queue.take(9), bytes(6))
  assert.equal(queue.take(9), bytes())
  assert.is(queue.size, 0)
})

test('bytes of one piece are not copied', (queue) => {
  const piece = bytes(1, 2, 3, 4)
  queue.add(piece)
  assert.is(queue.take(2).buffer, piece.buffer)
  assert.is(queue.take(2).buffer, piece.buffer)
})

test('it works beyond 1024 pieces, and can be emptied', (queue) => {
  for (let i = 0; i < 3000; i += 1) queue.add(bytes(i))
  for (let i = 0; i < 2500; i += 1) assert.equal(queue.take(1), bytes(i))
  queue.clear()
  assert.is(queue.size, 0)
  queue.add(bytes(7))
  assert.equal(queue.take(5), bytes(7))
})

test.run()
