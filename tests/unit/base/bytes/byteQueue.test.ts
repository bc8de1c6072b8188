import { ByteQueue } from '#internal/base/bytes/byteQueue'
import { assert, suite } from '#support/runner/suite'

const test = suite('byte queue')

const bytes = (...values: number[]) => Uint8Array.from(values)
const LARGE = 5000

/** Numbers from a generator with a known start. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state % below
  }
}

test('bytes leave in the order in which they came, whatever the sizes', () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const next = numbers(seed)
    const queue = new ByteQueue()
    let [appended, taken] = [0, 0]
    for (let step = 0; step < 100; step += 1) {
      const size = next(4) === 0 ? next(3 * LARGE) : next(40)
      queue.append(counting(appended, size))
      appended += size
      const most = next(2 * LARGE)
      const out = next(2) === 0 ? queue.take(most) : queue.takePiece(most)
      const isRight = out.length <= most && Buffer.compare(out, counting(taken, out.length)) === 0
      assert.ok(isRight, `seed ${seed}, step ${step}`)
      taken += out.length
      assert.is(queue.size, appended - taken)
    }
  }
})

/** Bytes that tell their place in a longer row. */
function counting(from: number, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (from + at) % 251)
}

test('a take is short only at the end', () => {
  const queue = new ByteQueue()
  for (const piece of [bytes(1), bytes(2, 3), new Uint8Array(LARGE)]) queue.append(piece)
  assert.equal(queue.take(2), bytes(1, 2))
  assert.is(queue.take(LARGE).length, LARGE)
  assert.equal([queue.take(5), queue.take(5), queue.size], [bytes(0), bytes(), 0])
})

test('a large piece is kept, and many small ones lie together', () => {
  const queue = new ByteQueue()
  const large = new Uint8Array(LARGE)
  queue.append(bytes(9))
  queue.append(large)
  for (let value = 0; value < 200; value += 1) queue.append(bytes(value))
  assert.equal(queue.takePiece(LARGE), bytes(9))
  assert.is(queue.takePiece(LARGE).buffer, large.buffer)
  assert.is(queue.takePiece(LARGE).length, 200)
})

test('neither what was appended nor what was taken is written to', () => {
  const queue = new ByteQueue()
  const first = bytes(1, 2, 3)
  for (const piece of [first, bytes(4), bytes(5, 6)]) queue.append(piece)
  const taken = queue.take(4)
  queue.append(bytes(7, 8, 9))
  assert.equal([first, taken, queue.take(9)], [bytes(1, 2, 3), bytes(1, 2, 3, 4), bytes(5, 6, 7, 8, 9)])
})

test('a cleared queue is empty, and can be used again', () => {
  const queue = new ByteQueue()
  for (const piece of [bytes(1, 2), bytes(3)]) queue.append(piece)
  queue.take(1)
  queue.clear()
  queue.append(bytes(4))
  assert.equal([queue.size, queue.take(9)], [1, bytes(4)])
})

test.run()
