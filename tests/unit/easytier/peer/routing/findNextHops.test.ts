import { findNextHops } from '#internal/easytier/peer/routing/findNextHops'
import { assert, suite } from '#support/runner/suite'

const test = suite('next hops')

const OWN = 1

/** @param links who is connected to whom */
function hops(
  neighbours: readonly number[],
  links: Readonly<Record<number, readonly number[]>>,
  avoiding: readonly number[] = [],
): Record<number, number> {
  const rows = new Map(
    Object.entries(links).map(([id, connected]) => [
      Number(id),
      { peerId: Number(id), version: 1, connected },
    ]),
  )
  const found = findNextHops({ peerId: OWN, version: 1, connected: neighbours }, rows, (peerId) =>
    avoiding.includes(peerId),
  )
  return Object.fromEntries(found)
}

test('a neighbour is reached directly, also where a path leads to it', () => {
  assert.equal(hops([2, 3], { 2: [OWN, 3], 3: [OWN, 2] }), { 2: 2, 3: 3 })
})

test('the path with the fewest hops wins', () => {
  assert.equal(hops([2, 3], { 2: [4], 4: [5], 3: [5], 5: [6] }), { 2: 2, 3: 3, 4: 2, 5: 3, 6: 3 })
})

test('a peer that avoids relaying is used only where there is no other path', () => {
  assert.equal(hops([2, 3], { 2: [4], 3: [4] }, [2]), { 2: 2, 3: 3, 4: 3 })
  assert.equal(hops([2, 3], { 2: [4], 3: [5], 5: [4] }, [2]), { 2: 2, 3: 3, 4: 3, 5: 3 })
  assert.equal(hops([2, 3], { 2: [4], 3: [5] }, [2]), { 2: 2, 3: 3, 4: 2, 5: 3 })
})

test('a chain of peers that avoid relaying still leads on', () => {
  assert.equal(hops([2], { 2: [3], 3: [4] }, [2, 3]), { 2: 2, 3: 2, 4: 2 })
})

test('this peer is never a destination, and rows without a path are ignored', () => {
  assert.equal(hops([2], { 2: [OWN], 7: [8] }), { 2: 2 })
  assert.equal(hops([], { 2: [3] }), {})
})

test('at most 1024 peers are reached', () => {
  const many = Array.from({ length: 2000 }, (_, index) => index + 10)
  assert.is(Object.keys(hops([2], { 2: many })).length, 1024)
})

test.run()
