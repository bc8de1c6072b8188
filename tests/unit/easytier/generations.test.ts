import { createGenerations, UNDER_WAY_MS } from '#internal/easytier/generations'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: one network under several secrets', { setUp })

const ANN = 1
const BEN = 2

test('a member is reached where it is, the oldest network first, until it has moved', () => {
  const { generations, meshes, where } = setUp()
  assert.equal([where(ANN), where(BEN)], [0, 0])
  const first = meshOf(ANN)
  generations.add(1, first)
  meshes.set(1, first)
  assert.is(where(ANN), 0, 'being seen in the new one is not enough')
  assert.ok(generations.hear(ANN, 1))
  assert.equal([where(ANN), where(BEN)], [1, 0])
  assert.equal([idsOf(generations.peersOf(0)), idsOf(generations.peersOf(1))], [[BEN], [ANN]])
  assert.equal(idsOf(generations.peers()).sort(), [ANN, BEN])
})

test('a member that is left in the newer network alone has moved, and is not found in the older one again', () => {
  const { generations, meshes, where } = setUp()
  generations.remove(0)
  generations.add(0, meshOf(BEN))
  const next = meshOf(ANN, BEN)
  meshes.set(1, next)
  generations.add(1, next)
  generations.settle()
  assert.is(where(ANN), 1)
  generations.remove(0)
  generations.add(0, meshOf(ANN, BEN))
  assert.equal([where(ANN), idsOf(generations.peersOf(0)), idsOf(generations.peersOf(1))], [1, [BEN], [ANN]])
})

test('a guest moves its host by its own decision', ({ generations, meshes, where }) => {
  const next = meshOf(ANN)
  meshes.set(1, next)
  generations.add(1, next)
  generations.move(ANN, 1)
  assert.is(where(ANN), 1)
})

test('what comes under an older secret in the name of a member that has moved does not count', async () => {
  const { clock, generations } = setUp()
  generations.add(1, meshOf(ANN))
  assert.ok(generations.hear(ANN, 0))
  assert.ok(generations.hear(ANN, 1))
  await clock.advance(UNDER_WAY_MS - 1)
  assert.ok(generations.hear(ANN, 0), 'it was under way')
  await clock.advance(1)
  assert.not(generations.hear(ANN, 0))
  assert.ok(generations.hear(BEN, 0), 'who stays is heard')
  assert.ok(generations.hear(ANN, 1))
})

test('who leaves the newer network is not found in the older one again, and may appear in a newer one', () => {
  const { generations, meshes, where } = setUp()
  const next = meshOf(ANN)
  generations.add(1, next)
  meshes.set(1, next)
  generations.hear(ANN, 1)
  generations.remove(1)
  assert.is(where(ANN), undefined)
  assert.equal(idsOf(generations.peers()), [BEN])
  const last = meshOf(ANN)
  generations.add(2, last)
  meshes.set(2, last)
  assert.is(where(ANN), 2)
  assert.equal(generations.list(), [0, 2])
})

test('they are in order, however late one opens', ({ generations }) => {
  generations.add(2, meshOf())
  generations.add(1, meshOf())
  assert.equal(generations.list(), [0, 1, 2])
  assert.ok(generations.at(1))
  assert.is(generations.at(3), undefined)
})

type Peer = { readonly record: { readonly peerId: number } }

function setUp() {
  const clock = createFakeClock()
  const generations = createGenerations<Peer, ReturnType<typeof meshOf>>(clock)
  const first = meshOf(ANN, BEN)
  const meshes = new Map([[0, first]])
  generations.add(0, first)
  /** The generation by which a member is reached. */
  const where = (peerId: number) => [...meshes].find(([, mesh]) => mesh === generations.meshOf(peerId))?.[0]
  return { clock, generations, meshes, where }
}

function meshOf(...ids: number[]) {
  const peers = ids.map((peerId): Peer => ({ record: { peerId } }))
  return {
    peer: {
      peers: () => peers,
      peer: (peerId: number) => peers.find(({ record }) => record.peerId === peerId),
    },
  }
}

function idsOf(peers: readonly Peer[]): number[] {
  return peers.map(({ record }) => record.peerId)
}

test.run()
