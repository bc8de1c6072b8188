import { createConversations } from '#core/easytier/streams/conversations'
import { createStreamOpener, type Opening } from '#core/easytier/streams/streamOpener'
import { encodeStreamRoute, streamFlags } from '#core/easytier/streams/streamPacket'
import { hexOf } from '#support/network/easytierVectors'
import { ROUTE } from '#support/network/streamPeers'
import { assert, suite } from '#support/runner/suite'
import { openConnection } from './connectionParts'

const test = suite('easytier: opener of streams', { setUp: start })

const { syn, ack, data, rst } = streamFlags
const PEER = 7

/** The first number is 0: that after the largest. */
function start({ hasRoom = true } = {}) {
  const conversations = createConversations()
  const sent: [conv: number, flags: number, body?: string][] = []
  const idOf = (conv: number, peerId = PEER) => ({ conv, source: 1, destination: peerId, peerId, type: 11 })
  const opener = createStreamOpener({
    ownId: 1,
    random32: () => 0xffffffff,
    conversations,
    sendFlags: ({ conv }, flags, body) => sent.push(body ? [conv, flags, hexOf(body)] : [conv, flags]),
    connect(id, now) {
      const connection = openConnection({ peerId: id.peerId, conv: id.conv, now })
      conversations.set({ kind: 'connection', id, connection })
      return connection
    },
    hasRoom: () => hasRoom,
  })
  const answer = (conv: number, flags: number) => {
    const conversation = conversations.get(idOf(conv))
    assert.ok(conversation?.kind === 'attempt')
    opener.onAttempt(conversation, { ...idOf(conv), flags, body: new Uint8Array(0) }, 150)
  }
  return { opener, conversations, sent, idOf, answer }
}

async function reasonOf({ opened }: Opening): Promise<unknown> {
  return opened.then(
    () => 'opened',
    (error: { readonly reason?: unknown }) => error.reason,
  )
}

test('each attempt sends the route under its own number; the one that is answered becomes the stream', async () => {
  const { opener, conversations, sent, idOf, answer } = start()
  const { opened } = opener.open(PEER, ROUTE, 0)
  assert.equal([opener.count, opener.nextDeadline()], [1, 100])
  opener.tick(99)
  opener.tick(100)
  const route = hexOf(encodeStreamRoute(ROUTE))
  assert.equal(sent.splice(0), [
    [0, syn, route],
    [1, syn, route],
  ])
  for (const flags of [syn, ack, ack | data]) answer(1, flags)
  assert.equal(sent, [], 'anything but SYN|ACK is no answer')
  answer(1, syn | ack)
  assert.equal(sent, [
    [0, rst],
    [1, ack | data],
  ])
  const { peerId, state } = await opened
  assert.equal([peerId, state], [PEER, 'open'])
  assert.equal([opener.count, opener.nextDeadline()], [0, Number.POSITIVE_INFINITY])
  assert.equal([conversations.get(idOf(0)), conversations.get(idOf(1))?.kind], [undefined, 'connection'])
})

test('numbers in use are passed over', ({ opener, conversations, sent, idOf }) => {
  conversations.set({ kind: 'halfOpen', id: idOf(0), route: undefined, until: 1 })
  opener.open(PEER, ROUTE, 0).opened.catch(() => {})
  assert.is(sent[0]?.[0], 1)
})

test('it is refused once all five attempts are, and says no more to them', async () => {
  const { opener, sent, conversations, answer } = start()
  const opening = opener.open(PEER, ROUTE, 0)
  answer(0, rst)
  for (const now of [100, 300, 500, 700]) opener.tick(now)
  for (const conv of [1, 2, 3]) answer(conv, rst)
  assert.is(opener.count, 1)
  answer(4, rst | data)
  assert.is(await reasonOf(opening), 'refused')
  assert.ok(sent.every(([, flags]) => flags === syn))
  assert.equal([opener.count, [...conversations.all()]], [0, []])
})

test('it is given up after 10 s or when cancelled: attempts without an answer are reset', async () => {
  const { opener, sent, conversations } = start()
  const first = opener.open(PEER, ROUTE, 0)
  opener.tick(9999)
  opener.tick(10_000)
  assert.is(await reasonOf(first), 'unanswered')
  const second = opener.open(PEER, ROUTE, 10_000)
  second.cancel()
  second.cancel()
  assert.is(await reasonOf(second), 'cancelled')
  const resets = sent.flatMap(([conv, flags]) => (flags === rst ? conv : []))
  assert.equal(resets, [0, 1, 2])
  assert.equal([...conversations.all()], [])
})

test('with too many streams it fails at once, and sends nothing', async () => {
  const { opener, sent } = start({ hasRoom: false })
  assert.is(await reasonOf(opener.open(PEER, ROUTE, 0)), 'too-many')
  assert.equal([sent, opener.count], [[], 0])
})

test('the openings to one peer can be failed, or all', async ({ opener }) => {
  const [first, second] = [opener.open(PEER, ROUTE, 0), opener.open(PEER + 1, ROUTE, 0)]
  opener.fail('reset', PEER)
  assert.equal([await reasonOf(first), opener.count], ['reset', 1])
  opener.fail('closed')
  assert.equal([await reasonOf(second), opener.count], ['closed', 0])
})

test.run()
