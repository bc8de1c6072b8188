import * as assert from 'uvu/assert'
import { collectBytes } from '#core/adapters/game/collectBytes'
import { suite } from '#support/runner/suite'

const test = suite('collected bytes')

test('chunks of every size are joined in order', () => {
  const all = Uint8Array.from({ length: 20_000 }, (_, at) => at % 251)
  for (const size of [1, 7, 4095, 4096, 4097, 20_000]) {
    const collected = collectBytes(20_000)
    for (let at = 0; at < all.length; at += size) assert.ok(collected.add(all.subarray(at, at + size)))
    assert.equal(collected.bytes(), all, `${size}`)
  }
})

test('bytes beyond the limit are refused as a whole', () => {
  const collected = collectBytes(5)
  assert.is(collected.add(Uint8Array.of(1, 2, 3)), true)
  assert.is(collected.add(Uint8Array.of(4, 5, 6)), false)
  assert.equal(collected.bytes(), Uint8Array.of(1, 2, 3))
  assert.is(collected.add(Uint8Array.of(4, 5)), true)
  assert.is(collected.add(Uint8Array.of(6)), false)
  assert.equal(collected.bytes(), Uint8Array.of(1, 2, 3, 4, 5))
})

test('there is nothing at first', () => {
  assert.equal(collectBytes(1).bytes(), new Uint8Array(0))
})

test.run()
