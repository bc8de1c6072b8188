import { bytesSource } from '#core/formats/source/byteSource'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('byte source')
const source = bytesSource(Uint8Array.of(10, 11, 12, 13))

test('any part of the bytes, the whole and nothing', async () => {
  assert.is(source.size, 4)
  assert.equal(await source.read(1, 3), Uint8Array.of(11, 12))
  assert.equal(await source.read(0, 4), Uint8Array.of(10, 11, 12, 13))
  assert.equal(await source.read(4, 4), new Uint8Array())
})

test('a range outside the bytes is an error and not a shorter answer', async () => {
  for (const [start, end] of [
    [-1, 2],
    [3, 2],
    [0, 5],
  ] as const) {
    const outcome = await source.read(start, end).catch((error: unknown) => error)
    assert.instance(outcome, RangeError)
  }
})

test.run()
