import { type ConversationOf, createConversations } from '#core/easytier/streams/conversations'
import { encodeSegments } from '#core/easytier/streams/kcp/segments'
import { createStreamAcceptor } from '#core/easytier/streams/streamAcceptor'
import type { StreamConnection } from '#core/easytier/streams/streamConnection'
import type { StreamHandle } from '#core/easytier/streams/streamHandle'
import { encodeStreamRoute, type StreamEndpoint, streamFlags } from '#core/easytier/streams/streamPacket'
import { ROUTE } from '#support/network/streamPeers'
import { assert, suite } from '#support/runner/suite'
import { kcpSegment, openConnection } from './connectionParts'

const test = suite('easytier: acceptor of streams')

const { syn, ack, fin, data, rst, ping, pong } = streamFlags
const ID = { conv: 5, source: 10, destination: 20, peerId: 10, type: 12 }
const NOTHING: Uint8Array = new Uint8Array(0)

function start({ hasRoom = true } = {}) {
  const conversations = createConversations()
  const sent: number[] = []
  const connections: StreamConnection[] = []
  const accepted: { handle: StreamHandle; destination: StreamEndpoint }[] = []
  const acceptor = createStreamAcceptor({
    conversations,
    sendFlags: (_id, flags) => sent.push(flags),
    connect({ conv, peerId }, now) {
      const connection = openConnection({ peerId, conv, now, sendFlags: (flags) => sent.push(flags) })
      connections.push(connection)
      return connection
    },
    admits: (peerId) => hasRoom && peerId === ID.peerId,
    accepts: ({ port }, peerId) => port === 25_565 && peerId === ID.peerId,
    onStream: (handle, destination) => accepted.push({ handle, destination }),
  })
  const halfOpen = (): ConversationOf<'halfOpen'> => {
    const conversation = conversations.get(ID)
    assert.ok(conversation?.kind === 'halfOpen')
    return conversation
  }
  const unknown = (flags: number, body = NOTHING, id = ID) =>
    acceptor.onUnknown(id, { ...id, flags, body }, 100)
  const next = (flags: number, body = NOTHING) => acceptor.onHalfOpen(halfOpen(), { ...ID, flags, body }, 200)
  return { conversations, sent, connections, accepted, halfOpen, unknown, next }
}

test('a SYN is answered by SYN|ACK, each time, and half open for 10 s', () => {
  const { sent, halfOpen, unknown, next } = start()
  unknown(syn, encodeStreamRoute(ROUTE))
  assert.equal(halfOpen(), { kind: 'halfOpen', id: ID, route: ROUTE, until: 10_100 })
  next(syn)
  assert.is(halfOpen().until, 10_100)
  assert.equal(sent, [syn | ack, syn | ack])
})

test('ACK|DATA makes a stream of it, with the data that it brings; nothing less does', () => {
  const { accepted, unknown, next } = start()
  unknown(syn, encodeStreamRoute(ROUTE))
  for (const flags of [ack, data, ping, 0]) next(flags)
  assert.equal(accepted, [])
  next(ack | data, encodeSegments([kcpSegment({ data: Uint8Array.of(7) })]))
  const [stream] = accepted
  assert.equal([accepted.length, stream?.destination], [1, ROUTE.destination])
  assert.equal(stream?.handle.read(), Uint8Array.of(7))
})

test('a port that is not exposed, or a route that cannot be read, is refused by FIN', () => {
  const other = { ...ROUTE, destination: { ...ROUTE.destination, port: 22 } }
  for (const body of [encodeStreamRoute(other), NOTHING, Uint8Array.of(255)]) {
    const { sent, accepted, connections, unknown, next } = start()
    unknown(syn, body)
    next(ack | data)
    for (const connection of connections) connection.flush(200)
    assert.equal([accepted, sent], [[], [syn | ack, fin]])
  }
})

test('FIN and RST end a half-open one; only FIN is answered', () => {
  for (const [flags, replies] of [
    [fin, [fin]],
    [rst, []],
  ] as const) {
    const { conversations, sent, unknown, next } = start()
    unknown(syn, encodeStreamRoute(ROUTE))
    next(flags)
    assert.equal([conversations.get(ID), sent.slice(1)], [undefined, replies])
  }
})

test('with too many streams a SYN is answered by RST', () => {
  const { conversations, sent, unknown } = start({ hasRoom: false })
  unknown(syn, encodeStreamRoute(ROUTE))
  assert.equal([conversations.get(ID), sent], [undefined, [rst]])
})

test('any other packet of an unknown stream is answered by RST, except RST and pongs', () => {
  const { conversations, sent, unknown } = start()
  for (const flags of [rst, pong, ping | pong, rst | data]) unknown(flags)
  assert.equal(sent, [])
  for (const flags of [data, ack | data, syn | ack, fin, ping, 0]) unknown(flags)
  assert.equal(sent, new Array(6).fill(rst))
  unknown(syn, encodeStreamRoute(ROUTE), { ...ID, type: 11 })
  assert.is(sent.at(-1), rst, 'a SYN to the side that opens')
  assert.equal([...conversations.all()], [])
})

test.run()
