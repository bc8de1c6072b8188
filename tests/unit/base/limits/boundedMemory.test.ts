import { addNewest, oncePer, setNewest } from '#internal/base/limits/boundedMemory'
import { assert, suite } from '#support/runner/suite'

const test = suite('bounded memory')

test('of a map an entry that is set again is the newest, and the oldest goes', () => {
  const entries = new Map<string, number>()
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
  ] as const)
    setNewest(entries, key, value, 2)
  assert.equal(
    [...entries],
    [
      ['b', 2],
      ['a', 3],
    ],
  )
  setNewest(entries, 'c', 4, 2)
  assert.equal(
    [...entries],
    [
      ['a', 3],
      ['c', 4],
    ],
  )
})

test('of a set an item that is added again is the newest, and the oldest goes', () => {
  const items = new Set<string>()
  for (const item of ['a', 'b', 'a']) addNewest(items, item, 2)
  assert.equal([...items], ['b', 'a'])
  addNewest(items, 'c', 2)
  assert.equal([...items], ['a', 'c'])
})

test('each object is computed once, also when another comes between', () => {
  const asked: (readonly number[])[] = []
  const doubled = oncePer((numbers: readonly number[]) => {
    asked.push(numbers)
    return numbers.map((number) => 2 * number)
  })
  const [one, other] = [
    [1, 2],
    [1, 2],
  ]
  const first = doubled(one)
  assert.equal(first, [2, 4])
  assert.is.not(doubled(other), first)
  assert.is(doubled(one), first)
  assert.is(asked.length, 2)
})

test.run()
