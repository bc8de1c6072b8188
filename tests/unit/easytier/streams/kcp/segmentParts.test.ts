import fc from 'fast-check'
import { createMemoryBudget } from '#internal/easytier/streams/kcp/memoryBudget'
import { cutSegment, SegmentParts } from '#internal/easytier/streams/kcp/segmentParts'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { each } from '#support/values/each'

const test = suite('easytier: segments in parts', { setUp: () => new SegmentParts() })

const DATA = Uint8Array.from({ length: 1142 }, (_, i) => i)

test('each part has its place and their number before its bytes', () => {
  const parts = cutSegment(DATA, 458)
  assert.equal(each(parts, 'length'), [458, 458, 232])
  assert.equal(
    parts.map(([index, count, first]) => [index, count, first]),
    [
      [0, 3, 0],
      [1, 3, 456 % 256],
      [2, 3, 912 % 256],
    ],
  )
})

test('parts are joined in any order, however often they come', () => {
  assertProperty(
    fc.property(
      fc.uint8Array({ minLength: 459, maxLength: 1142 }),
      fc.constantFrom(458, 1002),
      fc.array(fc.nat({ max: 3 }), { maxLength: 8 }),
      (data, size, extra) => {
        const parts = cutSegment(data, size)
        const joining = new SegmentParts()
        const order = [...extra.filter((index) => index < parts.length - 1), ...parts.keys()]
        const joined = order.map((index) => joining.add(7, parts[index] ?? new Uint8Array(0)))
        assert.equal(joined.findLast(Boolean), data)
        assert.is(joining.size, 0)
      },
    ),
  )
})

test('a segment that is cut anew to another size begins again', (joining) => {
  const [first] = cutSegment(DATA, 1002)
  const parts = cutSegment(DATA, 458)
  assert.ok(first)
  assert.is(joining.add(1, first), undefined)
  assert.equal(parts.map((part) => joining.add(1, part)).at(-1), DATA)
})

test('malformed parts are ignored, and of 33 incomplete segments the oldest is forgotten', (joining) => {
  for (const part of [[], [0], [0, 2], [2, 2, 1], [0, 0, 1], [0, 5, 1], [0, 200, 1]])
    assert.is(joining.add(0, Uint8Array.from(part)), undefined)
  assert.is(joining.add(0, new Uint8Array(2000).fill(1)), undefined)
  assert.is(joining.size, 0)
  for (let sequence = 0; sequence < 1000; sequence++) joining.add(sequence, Uint8Array.of(0, 2, 1))
  assert.is(joining.size, 32)
  assert.is(joining.add(0, Uint8Array.of(1, 2, 2)), undefined)
  assert.equal(joining.add(999, Uint8Array.of(1, 2, 2)), Uint8Array.of(1, 2))
})

test('what waits for further parts counts in the memory of all, until it is joined, replaced or given up', () => {
  const budget = createMemoryBudget(1000)
  const joining = new SegmentParts(budget)
  const part = (index: number) => Uint8Array.of(index, 2, ...new Uint8Array(300))
  for (const sequence of [1, 2, 3]) joining.add(sequence, part(0))
  assert.equal([budget.held, budget.isSpent(), joining.size], [3 * 428, true, 3])
  // Nothing more begins; what has begun ends.
  joining.add(4, part(0))
  assert.equal([joining.size, joining.add(1, part(1))?.length, budget.held], [3, 600, 2 * 428])
  joining.add(2, part(0))
  assert.is(budget.held, 2 * 428, 'a part that comes twice is held once')
  joining.clear()
  assert.equal([joining.size, budget.held], [0, 0])
  const spent = createMemoryBudget(0)
  const narrow = new SegmentParts(spent)
  narrow.add(1, part(0))
  narrow.add(2, part(0))
  assert.is(narrow.size, 1, 'one is taken also where others have spent all')
})

test.run()
