import { type Conversation, conversationOf, createConversations } from '#core/easytier/streams/conversations'
import type { StreamHandle } from '#core/easytier/streams/streamHandle'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: conversations', { setUp: createConversations })

const ID = { conv: 1, source: 10, destination: 20, peerId: 20, type: 11 }

const flush = () => {}

const HANDLE: StreamHandle = {
  peerId: ID.peerId,
  queued: 0,
  readable: 0,
  state: 'open',
  error: undefined,
  wasRefused: false,
  read: () => undefined,
  write() {},
  end() {},
  destroy() {},
  roundTrip: () => undefined,
  onChange() {},
}

test('a packet of type 11 comes from the opener and is answered by type 12, and the other way round', () => {
  const packet = { conv: 1, source: 10, destination: 20, flags: 0, body: new Uint8Array(0) }
  assert.equal(conversationOf(packet, 11, 10, 20), { ...ID, peerId: 10, type: 12 })
  assert.equal(conversationOf(packet, 12, 20, 10), ID)
})

test('a packet for another peer, from another one, or of another type belongs to none', () => {
  const packet = { conv: 1, source: 10, destination: 20, flags: 0, body: new Uint8Array(0) }
  for (const [type, from, own] of [
    [11, 10, 21],
    [11, 9, 20],
    [12, 20, 9],
    [12, 21, 10],
    [12, 10, 20],
    [1, 10, 20],
  ] as const) {
    assert.is(conversationOf(packet, type, from, own), undefined, `${type} ${from} ${own}`)
  }
})

test('both sides may use the same number: the direction belongs to the key', (conversations) => {
  const [ours, theirs] = [halfOpen(1, 50), { ...halfOpen(1, 60), id: { ...ID, type: 12 } }]
  conversations.set(ours)
  conversations.set(theirs)
  assert.is(conversations.get(ours.id), ours)
  assert.is(conversations.get(theirs.id), theirs)
  conversations.delete(ours.id)
  assert.is(conversations.get(ours.id), undefined)
  assert.equal([...conversations.all()], [theirs])
})

test('a half-open one is dropped at its time', (conversations) => {
  conversations.set(halfOpen(1, 50))
  conversations.set(halfOpen(2, 40))
  assert.is(conversations.nextDeadline(), 40)
  conversations.tick(49, flush)
  assert.equal([conversations.get({ ...ID, conv: 2 }), conversations.nextDeadline()], [undefined, 50])
  conversations.tick(50, flush)
  assert.is(conversations.nextDeadline(), Number.POSITIVE_INFINITY)
})

test('of the ended ones 256 are remembered, the newest', (conversations) => {
  conversations.set(connection(0, { isOver: false, goneAt: 0 }))
  for (let conv = 1; conv <= 258; conv += 1)
    conversations.set(connection(conv, { isOver: true, goneAt: 100 }))
  conversations.tick(99, flush)
  const left = [...conversations.all()].map(({ id }) => id.conv)
  assert.is(left.length, 257)
  assert.equal(left.slice(0, 3), [0, 3, 4])
  conversations.tick(100, flush)
  const rest = [...conversations.all()].map(({ id }) => id.conv)
  assert.equal(rest, [0])
})

test('those that a peer has opened to us count until they end, and the newest unused one is found', () => {
  const conversations = createConversations()
  const theirs = (conversation: Conversation): Conversation => ({
    ...conversation,
    id: { ...conversation.id, type: 12 },
  })
  const [first, second, third] = [
    halfOpen(1, 50),
    halfOpen(2, 50),
    connection(3, { isOver: false, goneAt: 0 }),
  ]
  for (const each of [theirs(first), theirs(second), theirs(third), halfOpen(4, 50)]) conversations.set(each)
  const count = () => conversations.accepted.get(ID.peerId)?.size
  assert.equal([count(), conversations.newestAccepted(ID.peerId)], [3, theirs(second)])
  conversations.set(theirs(connection(2, { isOver: false, goneAt: 0 })))
  assert.equal([count(), conversations.newestAccepted(ID.peerId)?.id.conv], [3, 1])
  conversations.delete(theirs(first).id)
  conversations.ended(theirs(second).id)
  assert.equal([count(), conversations.newestAccepted(ID.peerId)?.id.conv], [1, 3])
  assert.is(conversations.get(theirs(second).id)?.kind, 'connection', 'it is remembered')
  conversations.ended(theirs(third).id)
  assert.equal([conversations.accepted.size, conversations.newestAccepted(ID.peerId)], [0, undefined])
})

test('a deadline that became earlier counts once it was touched', (conversations) => {
  const one = connection(1, { isOver: false, goneAt: 100 })
  conversations.set(halfOpen(2, 80))
  conversations.set(one)
  assert.is(conversations.nextDeadline(), 80)
  conversations.touch(connection(1, { isOver: false, goneAt: 20 }))
  assert.is(conversations.nextDeadline(), 20)
  conversations.tick(20, flush)
  assert.is(conversations.nextDeadline(), 80, 'it was too early')
})

function halfOpen(conv: number, until: number): Conversation {
  return { kind: 'halfOpen', id: { ...ID, conv }, route: undefined, until }
}

function connection(conv: number, { isOver, goneAt }: { isOver: boolean; goneAt: number }): Conversation {
  const connection = {
    isOver,
    isGone: (now: number) => isOver && now >= goneAt,
    nextDeadline: () => goneAt,
    receive() {},
    abandon() {},
    flush() {},
  }
  return { kind: 'connection', id: { ...ID, conv }, connection: { ...connection, handle: HANDLE } }
}

test.run()
