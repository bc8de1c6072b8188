import { createToldShares, MAX_TOLD } from '#internal/easytier/peer/routing/toldShares'
import { assert, suite } from '#support/runner/suite'

const test = suite('what members tell of others')

const NODE = 1
const LIAR = 2
const OTHER = 3
const FIRST = 100

function setUp(known: readonly number[] = []) {
  const over: number[] = []
  const shares = createToldShares({
    isSharedNode: (peerId) => peerId === NODE,
    isKnown: (peerId) => known.includes(peerId),
    onOverShare: (from) => over.push(from),
  })
  const tell = (from: number, count: number, first = FIRST) =>
    Array.from({ length: count }, (_, at) => shares.take(first + at, from)).filter(Boolean).length
  return { shares, tell, over }
}

test('a member may tell of so many, again and again, and of itself; more is refused and noticed', () => {
  const { shares, tell, over } = setUp()
  assert.equal([tell(LIAR, MAX_TOLD + 5), tell(LIAR, MAX_TOLD)], [MAX_TOLD, MAX_TOLD])
  assert.is(shares.take(LIAR, LIAR), true)
  assert.equal(over, [LIAR, LIAR, LIAR, LIAR, LIAR])
  assert.is(tell(OTHER, 5, 1000), 5, 'another member has a share of its own')
})

test('a shared node tells of all, and so do peers themselves: then they count for nobody', () => {
  const { shares, tell } = setUp()
  assert.equal([tell(NODE, 200), tell(LIAR, MAX_TOLD)], [200, MAX_TOLD])
  assert.equal([shares.take(5000, LIAR), shares.take(FIRST, FIRST)], [false, true])
  assert.equal([shares.take(FIRST + 1, NODE), tell(LIAR, 3, 5000)], [true, 2])
})

test('who is known already is nobody’s share', () => {
  const { tell } = setUp([FIRST, FIRST + 1])
  assert.is(tell(LIAR, MAX_TOLD + 3), MAX_TOLD + 2)
})

test('a peer that was forgotten is nobody’s share any more', () => {
  const known: number[] = []
  const { shares, tell } = setUp(known)
  tell(LIAR, MAX_TOLD)
  known.push(FIRST)
  shares.forgetGone()
  assert.is(tell(LIAR, MAX_TOLD, 2000), MAX_TOLD - 1)
})

test('when a neighbour goes, those whom it alone has told of are named, and its share is free', () => {
  const { shares, tell } = setUp()
  tell(LIAR, 2)
  tell(OTHER, 1, 1000)
  assert.equal(shares.release(LIAR), [FIRST, FIRST + 1])
  assert.equal([shares.release(LIAR), tell(LIAR, MAX_TOLD, 2000)], [[], MAX_TOLD])
})

test.run()
