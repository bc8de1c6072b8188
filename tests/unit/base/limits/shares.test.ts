import * as fc from 'fast-check'
import { type Denial, decideShare, Shares } from '#internal/base/limits/shares'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('shares')

const LIMITS = { perOwner: 3, total: 6 }
const counts = (...each: number[]) => new Map(each.map((size, owner) => [owner, { size }]))

test('a place is given while there is one, up to the owner’s share', () => {
  assert.equal(decideShare(counts(), 9, LIMITS), { kind: 'admit' })
  assert.equal(decideShare(counts(2, 3), 0, LIMITS), { kind: 'admit' })
  assert.equal(decideShare(counts(2, 3), 1, LIMITS), { kind: 'refuse', isOverShare: true })
})

test('when all places are taken the owner with the most makes room for those that have at least two fewer', () => {
  assert.equal(decideShare(counts(1, 3, 2), 9, LIMITS), { kind: 'displace', from: 1 })
  assert.equal(decideShare(counts(1, 3, 2), 0, LIMITS), { kind: 'displace', from: 1 })
  assert.equal(decideShare(counts(1, 3, 2), 2, LIMITS), { kind: 'refuse', isOverShare: false })
  assert.equal(decideShare(counts(1, 1, 1, 1, 1, 1), 9, LIMITS), { kind: 'refuse', isOverShare: false })
})

test('the newest item of the one with the most loses its place, and a removed one frees it', () => {
  const shares = new Shares<string, string>({ perOwner: 3, total: 4 })
  const told: string[] = []
  const place = (owner: string, item: string) =>
    shares.place(
      owner,
      item,
      (who, denial) => told.push(`${who} ${denial}`),
      (lost) => told.push(lost),
    )
  for (const item of ['a1', 'a2', 'a3']) assert.ok(place('a', item))
  assert.equal([place('a', 'a4'), told.splice(0)], [false, ['a refused']])
  place('b', 'b1')
  assert.equal([place('c', 'c1'), told.splice(0)], [true, ['a withdrawn', 'a3']])
  assert.equal(
    [shares.of('a'), shares.of('b'), shares.of('c'), shares.size],
    [['a1', 'a2'], ['b1'], ['c1'], 4],
  )
  shares.remove('a', 'a3')
  shares.remove('nobody', 'a1')
  assert.is(shares.size, 4)
  shares.remove('a', 'a1')
  assert.equal([place('a', 'a5'), told], [true, []])
})

test('whatever is taken and left, no limit is passed and a place is taken only from those that have more', () => {
  const steps = fc.array(fc.record({ owner: fc.nat({ max: 5 }), isLeaving: fc.boolean() }), {
    maxLength: 200,
  })
  assertProperty(
    fc.property(steps, (all) => {
      const shares = new Shares<number, number>(LIMITS)
      all.forEach(({ owner, isLeaving }, at) => {
        const before = shares.of(owner).length
        if (isLeaving) shares.remove(owner, shares.of(owner)[0] ?? -1)
        else {
          const onDenied = (who: number, denial: Denial) => {
            if (denial === 'withdrawn') assert.ok(shares.of(who).length > before)
          }
          const hasPlace = shares.place(owner, at, onDenied, () => {})
          assert.is(shares.of(owner).length, before + (hasPlace ? 1 : 0))
        }
        assert.ok(shares.size <= LIMITS.total && shares.of(owner).length <= LIMITS.perOwner)
      })
    }),
  )
})

const standing =
  (groups: readonly string[], settled: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) =>
  () => ({
    groupOf: (owner: number) => groups[owner] ?? `own ${owner}`,
    isSettled: (owner: number) => settled.includes(owner),
  })

for (const { title, places, owner, groups, settled, wanted } of [
  {
    title: 'a newcomer takes a place of the largest group, of its oldest owner',
    places: [1, 1, 1, 1, 1, 1],
    owner: 9,
    groups: ['a', 'b', 'b', 'c', 'b'],
    wanted: { kind: 'displace', from: 1 },
  },
  {
    title: 'of the owner with the most in that group, though another has more',
    places: [2, 1, 2, 1],
    owner: 9,
    groups: ['a', 'b', 'b', 'b'],
    wanted: { kind: 'displace', from: 2 },
  },
  {
    title: 'an owner of the largest group itself gets none',
    places: [1, 1, 1, 1, 1, 1],
    owner: 9,
    groups: ['b', 'b', 'b', 'b', 'b', 'b', '', '', '', 'b'],
    wanted: { kind: 'refuse', isOverShare: false },
  },
  {
    title: 'unless one of it has two more',
    places: [2, 1, 1, 1, 1],
    owner: 9,
    groups: ['b', 'b', 'b', 'b', 'b', '', '', '', '', 'b'],
    wanted: { kind: 'displace', from: 0 },
  },
  {
    title: 'an owner that is not settled loses its place first, and to one of its own group, too',
    places: [1, 1, 1, 1, 1, 1],
    owner: 9,
    groups: ['a', 'b', 'b', 'b', 'c', 'c', '', '', '', 'c'],
    settled: [0, 1, 2, 3],
    wanted: { kind: 'displace', from: 4 },
  },
  {
    title: 'of those that are not settled the largest group comes first',
    places: [1, 1, 1, 1, 1, 1],
    owner: 9,
    groups: ['a', 'b', 'b', 'c', 'c', 'c'],
    settled: [3, 4],
    wanted: { kind: 'displace', from: 1 },
  },
  {
    title: 'but not to one that has as many',
    places: [1, 2, 1, 2],
    owner: 0,
    groups: [],
    settled: [1, 3],
    wanted: { kind: 'refuse', isOverShare: false },
  },
] as const) {
  test(title, () => {
    const all = counts(...places)
    assert.equal(decideShare(all, owner, LIMITS, standing(groups, settled)), wanted)
  })
}

test.run()
