import { createSlab } from '#internal/easytier/wire/slab'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: memory for packets', { setUp: createSlab })

test('what is cut off is empty, as long as was asked for, and never given twice', (take) => {
  const taken = Array.from({ length: 500 }, (_, at) => take((at * 37) % 1500))
  for (const [at, piece] of taken.entries()) {
    assert.is(piece.length, (at * 37) % 1500)
    assert.ok(piece.every((byte) => byte === 0))
    piece.fill(at & 255)
  }
  for (const [at, piece] of taken.entries()) assert.ok(piece.every((byte) => byte === (at & 255)))
})

test('a long piece has memory of its own', (take) => {
  take(10)
  assert.is(take(60_000).buffer.byteLength, 60_000)
})

test.run()
