import { createRelayChoice } from '#internal/easytier/peer/routing/relayChoice'
import type { PeerRecord } from '#internal/easytier/wire/peerRecord'
import { MEMBER_FEATURES, memberRecord } from '#support/network/memberRecord'
import { assert, suite } from '#support/runner/suite'
import { peerConnection } from '../peerConnection'

const test = suite('the choice of a relay')

const [FRIEND, NODE, OTHER] = [2, 3, 4]

/** A friend that has offered to relay, a shared node, and a member that has not offered it. */
function setUp() {
  const world = {
    roundTrips: { [FRIEND]: 20, [NODE]: 20, [OTHER]: 20 } as Record<number, number | undefined>,
    neighbours: [FRIEND, NODE, OTHER] as readonly number[],
    silent: [] as readonly number[],
    distrusted: [] as readonly number[],
    offering: [FRIEND] as readonly number[],
  }
  const choice = createRelayChoice({
    connections: {
      neighbours: () => world.neighbours,
      best: (peerId) =>
        world.neighbours.includes(peerId)
          ? peerConnection(peerId, { isSharedNode: peerId === NODE, roundTrip: world.roundTrips[peerId] })
          : undefined,
      isResponsive: (peerId) => world.neighbours.includes(peerId) && !world.silent.includes(peerId),
    },
    isTrusted: (peerId) => !world.distrusted.includes(peerId),
    record: (peerId) => (peerId === NODE ? undefined : recordOf(peerId)),
    offersRelay: ({ peerId }) => world.offering.includes(peerId),
  })
  const order = () => [...world.neighbours].sort((one, other) => choice.rankOf(one) - choice.rankOf(other))
  return { world, choice, order }
}

test('a friend that offers it comes before shared nodes, and these before other members', () => {
  const { world, choice, order } = setUp()
  world.neighbours = [OTHER, NODE, FRIEND]
  assert.is(choice.update(), false)
  assert.equal(order(), [FRIEND, NODE, OTHER])
})

test('a friend that has withdrawn the offer, does not answer, brings no answers, or has gone, is as any other member', () => {
  for (const change of [{ offering: [] }, { silent: [FRIEND] }, { distrusted: [FRIEND] }]) {
    const { world, choice, order } = setUp()
    choice.update()
    Object.assign(world, change)
    assert.equal([choice.update(), order()[0], choice.update()], [true, NODE, false])
  }
  const { world, choice, order } = setUp()
  choice.update()
  world.neighbours = [NODE, OTHER]
  assert.is(choice.update(), false, 'the table knows of it')
  assert.equal(order(), [NODE, OTHER])
})

test('a friend that is much farther than the nearest node is left, and taken again once it is clearly not', () => {
  const { world, choice, order } = setUp()
  choice.update()
  world.roundTrips[FRIEND] = 70
  assert.is(choice.update(), false)
  world.roundTrips[FRIEND] = 71
  assert.equal([choice.update(), order()[0]], [true, NODE])
  world.roundTrips[FRIEND] = 60
  assert.is(choice.update(), false, 'not for a small change')
  world.roundTrips[FRIEND] = 50
  assert.equal([choice.update(), order()[0]], [true, FRIEND])
})

test('without a measured friend or a node that answers there is nothing to compare', () => {
  const { world, choice, order } = setUp()
  world.roundTrips[FRIEND] = undefined
  choice.update()
  assert.is(order()[0], FRIEND)
  world.roundTrips[FRIEND] = 900
  world.silent = [NODE]
  choice.update()
  assert.is(order()[0], FRIEND)
})

function recordOf(peerId: number): PeerRecord {
  return { ...memberRecord(peerId), features: { ...MEMBER_FEATURES, avoidsRelay: false } }
}

test.run()
