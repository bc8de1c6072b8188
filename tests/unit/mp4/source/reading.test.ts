import { bytesSource } from '#internal/mp4/source/byteSource'
import { type Reading, readFrom, readNow, take } from '#internal/mp4/source/reading'
import { countingSource, zerosSource } from '../../../support/media/countingSource'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('reading')

const bytes = Uint8Array.from({ length: 600_000 }, (_, i) => i % 251)

function* sums(file: { readonly size: number }): Reading<number[]> {
  const result: number[] = []
  for (const [start, end] of [
    [0, 4],
    [3, 10],
    [300_000, 300_001],
    [599_990, 700_000],
    [-1, 4],
    [600_000, 600_001],
    [10, 5],
  ] as const) {
    const part = yield* take(file, start, end)
    result.push(part.reduce((sum, byte) => sum + byte, part.length))
  }
  return result
}

test('a source in parts gives what bytes at hand give', async () => {
  const now = readNow(sums({ size: bytes.length }), bytes)
  assert.equal(now.slice(-3), [0, 0, 0])
  assert.equal(await readFrom(sums({ size: bytes.length }), bytesSource(bytes)), now)
})

test('small ranges that lie close together are read at once', async () => {
  const { source, reads } = countingSource(bytesSource(bytes))
  await readFrom(sums(source), source)
  assert.equal(reads.map(String), ['0,262144', '300000,562144', '599990,600000'])
})

test('a long way without a gap is read in parts that grow', async () => {
  const { source, reads } = countingSource(zerosSource(20 * 2 ** 20))
  function* walk(): Reading<void> {
    for (let at = 0; at < 6 * 2 ** 20; at += 2 ** 17) yield* take(source, at, at + 2 ** 17)
    yield* take(source, 10 * 2 ** 20, 10 * 2 ** 20 + 1)
  }
  await readFrom(walk(), source)
  const sizes = reads.map(([start, end]) => (end - start) / 2 ** 20)
  assert.equal(sizes, [0.25, 0.5, 1, 2, 2, 2, 0.25])
})

test('an aborted signal ends it before the next read', async () => {
  const reason = new Error('stop')
  const reading = readFrom(sums({ size: bytes.length }), bytesSource(bytes), AbortSignal.abort(reason))
  assert.is(await reading.catch((error) => error), reason)
})

test.run()
