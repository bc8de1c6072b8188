import { type Conversation, createConversations } from '#core/easytier/streams/conversations'
import { createOpenAttempts } from '#core/easytier/streams/openAttempts'
import { createStreamPlaces } from '#core/easytier/streams/streamPlaces'
import { packetTypes } from '#core/easytier/wire/packet'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: places of streams')

const OWN = 1

test('open and half-open streams and those that are being opened are counted, attempts once', () => {
  const { conversations, places, accept } = setUp({ opening: 2 })
  const attempts = createOpenAttempts({ now: 0, start: () => 1, giveUp() {}, onFail() {} })
  conversations.set({ kind: 'attempt', id: idOf(7, 1, packetTypes.kcpSource), attempts, onAnswered() {} })
  accept(7, 1)
  accept(8, 1)
  assert.is(places.count, 4)
})

test('our own streams have room until all places are taken, and no peer is blamed', () => {
  const { places, refused, accept } = setUp({ streams: 3, opening: 1 })
  accept(7, 1)
  assert.ok(places.hasRoom())
  accept(7, 2)
  assert.not(places.hasRoom())
  assert.equal(refused, ['nobody'])
})

test('a peer gets no more than its share', () => {
  const { places, refused, accept } = setUp({ streams: 10, streamsPerPeer: 2 })
  accept(7, 1)
  assert.ok(places.admits(7))
  accept(7, 2)
  assert.not(places.admits(7))
  assert.ok(places.admits(8))
  assert.equal(refused, ['7 refused'])
})

test('when all places are taken, the peer with the most loses its newest for one that has two fewer', () => {
  const { places, refused, broken, accept } = setUp({ streams: 3, streamsPerPeer: 3 })
  for (const conv of [1, 2]) accept(7, conv)
  accept(8, 1)
  assert.not(places.admits(8), 'it has only one fewer')
  assert.ok(places.admits(9))
  assert.equal(broken, ['7 2'])
  accept(9, 1)
  assert.not(places.admits(10), 'each has one now')
  assert.equal(refused, ['8 full', '7 withdrawn', '10 full'])
})

test('places of what we are opening are not given to others', () => {
  const { places, accept } = setUp({ streams: 3, opening: 2 })
  assert.ok(places.admits(7))
  accept(7, 1)
  assert.not(places.admits(8))
})

function setUp({ streams = 100, streamsPerPeer = 100, opening = 0 }) {
  const conversations = createConversations()
  const refused: string[] = []
  const broken: string[] = []
  const accept = (peerId: number, conv: number) =>
    conversations.set({
      kind: 'halfOpen',
      id: idOf(peerId, conv, packetTypes.kcpDestination),
      route: undefined,
      until: 1000,
    })
  const places = createStreamPlaces({
    limits: { streams, streamsPerPeer },
    conversations,
    opening: () => opening,
    breakOff({ id }: Conversation) {
      conversations.delete(id)
      broken.push(`${id.peerId} ${id.conv}`)
    },
    onRefused: (peerId, denial) => void refused.push(peerId === undefined ? 'nobody' : `${peerId} ${denial}`),
  })
  return { conversations, places, refused, broken, accept }
}

function idOf(peerId: number, conv: number, type: number) {
  const isOurs = type === packetTypes.kcpSource
  return { conv, peerId, type, source: isOurs ? OWN : peerId, destination: isOurs ? peerId : OWN }
}

test.run()
