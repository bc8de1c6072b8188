import { concatBytes } from '@lantern-room/base/bytes'
import fc from 'fast-check'
import { type ByteSource, bytesSource } from '#internal/mp4/source/byteSource'
import { bytesOfParts, type FileParts, readThrough, sizeOfParts } from '#internal/mp4/source/fileParts'
import { type ByteSpan, type Reading, readNow, take } from '#internal/mp4/source/reading'
import { hex } from '#support/values/hex'
import { countingSource, zerosSource } from '../../../support/media/countingSource'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { collect } from '../../../support/values/collect'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite('a file made of parts')

const piecesOf = (parts: FileParts, source: ByteSource) => collect(bytesOfParts(parts, source))

const original = Uint8Array.from({ length: 100 }, (_, i) => i)
const anyPart = fc.oneof(
  fc.uint8Array({ maxLength: 6 }),
  fc.tuple(fc.nat({ max: 100 }), fc.nat({ max: 100 })).map(([a, b]): ByteSpan => {
    return { start: Math.min(a, b), end: Math.max(a, b) }
  }),
)
const anyParts = fc.array(anyPart, { maxLength: 6 })
const written = (parts: FileParts) =>
  concatBytes(parts.map((part) => (part instanceof Uint8Array ? part : original.slice(part.start, part.end))))

test('new bytes and ranges follow one another', async () => {
  const parts = [hex('aabb'), { start: 3, end: 6 }, new Uint8Array(), { start: 9, end: 9 }, hex('cc')]
  assert.is(sizeOfParts(parts), 6)
  equalBytes(concatBytes(await piecesOf(parts, bytesSource(original))), hex('aabb 030405 cc'))
  assert.equal([sizeOfParts([]), await piecesOf([], bytesSource(original))], [0, []])
})

test('the same part may come twice, and in any order', async () => {
  await assertProperty(
    fc.asyncProperty(anyParts, async (parts) => {
      const bytes = concatBytes(await piecesOf(parts, bytesSource(original)))
      equalBytes(bytes, written(parts))
      assert.is(sizeOfParts(parts), bytes.length)
    }),
  )
})

test('a large file comes in pieces of at most 256 KiB, each of which is read once', async () => {
  const { source, reads } = countingSource(zerosSource(2 ** 33))
  const KIB = 1024
  const start = 2 ** 32
  const parts = [new Uint8Array(300 * KIB), { start, end: start + 500 * KIB }, hex('01')]
  const pieces = await piecesOf(parts, source)
  const sizes = pieces.map(({ length }) => length)
  assert.equal(sizes, [256 * KIB, 44 * KIB, 212 * KIB, 256 * KIB, 32 * KIB, 1])
  assert.equal(reads, [
    [start, start + 212 * KIB],
    [start + 212 * KIB, start + 468 * KIB],
    [start + 468 * KIB, start + 500 * KIB],
  ])
})

test('nothing is read before it is asked for', async () => {
  const { source, reads } = countingSource(bytesSource(original))
  const parts = [5, 1].map((start) => ({ start, end: start + 2 }))
  const pieces = bytesOfParts(parts, source)
  assert.equal(reads, [])
  await pieces.next()
  assert.equal(reads, [[5, 7]])
  await pieces.return(undefined)
  assert.equal(reads, [[5, 7]])
})

test('a parser reads the new file out of the old one, whatever range it asks for', () => {
  const ranges = fc.array(fc.tuple(fc.nat({ max: 120 }), fc.nat({ max: 120 })), { maxLength: 5 })
  assertProperty(
    fc.property(anyParts, ranges, (parts, asked) => {
      const whole = written(parts)
      function* parser(): Reading<Uint8Array[]> {
        const taken: Uint8Array[] = []
        for (const [start, end] of asked) taken.push(yield* take({ size: whole.length }, start, end))
        return taken
      }
      const taken = readNow(readThrough(parser(), parts), original)
      asked.forEach(([start, end], i) => {
        equalBytes(taken[i] ?? new Uint8Array(), whole.slice(start, Math.max(start, end)))
      })
    }),
    { numRuns: 300 },
  )
})

test.run()
