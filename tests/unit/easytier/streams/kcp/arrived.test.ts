import { createArrived } from '#core/easytier/streams/kcp/arrived'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: received bytes', { setUp: createArrived })

const bytes = (...values: number[]) => Uint8Array.from(values)

test('segments that follow each other are read at once', (arrived) => {
  arrived.add(bytes(1, 2))
  arrived.add(bytes(3))
  assert.equal([arrived.count, arrived.size], [2, 3])
  assert.equal(arrived.read(), { bytes: bytes(1, 2, 3), count: 2 })
  assert.equal([arrived.count, arrived.size, arrived.read()], [0, 0, undefined])
})

test('bytes that were read are not written over', (arrived) => {
  arrived.add(bytes(1))
  const first = arrived.read()?.bytes
  arrived.add(bytes(2))
  assert.equal(arrived.read()?.bytes, bytes(2))
  assert.equal(first, bytes(1))
})

test('pieces of memory grow from 1 to 64 KiB; a segment is never divided', (arrived) => {
  for (let i = 0; i < 1 + 3 + 13 + 56 + 56; i += 1) arrived.add(new Uint8Array(1150))
  const counts = Array.from({ length: 5 }, () => arrived.read()?.count)
  assert.equal(counts, [1, 3, 14, 56, 55])
  arrived.add(new Uint8Array(100_000))
  assert.equal(arrived.read()?.bytes.length, 100_000)
})

test('a segment is copied', (arrived) => {
  const segment = bytes(1)
  arrived.add(segment)
  segment[0] = 9
  assert.equal(arrived.read()?.bytes, bytes(1))
})

test('it can be emptied', (arrived) => {
  arrived.add(bytes(1))
  arrived.clear()
  assert.equal([arrived.count, arrived.size, arrived.read()], [0, 0, undefined])
})

test.run()
