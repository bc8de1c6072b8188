import { isZeroDigest, type NetworkIdentity } from '#internal/easytier/crypto/networkIdentity'
import { handshakeRequest } from '#internal/easytier/wire/messages'
import { encodePacket, encodePing, packetTypes } from '#internal/easytier/wire/packet'
import { decodeRefusal } from '#internal/easytier/wire/refusal'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'
import { hello, OTHER_ROOM, openMeeting, ROOM, relayId, type Visitor } from './meeting'

const test = suite('relay: which peers are accepted', { setUp: openMeeting })

/** The same name with another secret: another network. */
const NAMESAKE = { name: ROOM.name, secret: 'another' }

test('the first member of a network is answered as by a shared node: another network name and a zero digest', async () => {
  const meeting = openMeeting()
  const guest = await meeting.enter(ROOM, 7)
  const [first] = guest.packets
  assert.ok(first)
  assert.equal([first.type, first.to, guest.isClosed], [packetTypes.handshake, 0, false])
  const answer = handshakeRequest.decode(first.payload)
  assert.ok(answer)
  assert.is.not(answer.networkName, ROOM.name)
  assert.ok(isZeroDigest(answer.networkSecretDigest))
  assert.is(answer.myPeerId, first.from)
  assert.is.not(answer.myPeerId, 0)
  assert.equal(meeting.relay.counters(), {
    networks: 1,
    members: 1,
    connections: 1,
    relayedBytes: 0,
    droppedPackets: 0,
    refusedConnections: 0,
    displaced: 0,
  })
})

test('networks of one name with different digests exist side by side, in whatever order they are opened', async () => {
  const meeting = openMeeting()
  const stranger = await meeting.enter(NAMESAKE, 7)
  const host = await meeting.enter(ROOM, 7)
  const guest = await meeting.enter(ROOM, 9)
  assert.equal(each([stranger, host, guest], 'isClosed'), [false, false, false])
  assert.is(relayId(guest), relayId(host))
  assert.is.not(relayId(stranger), relayId(host))
  const { networks, members, refusedConnections } = meeting.relay.counters()
  assert.equal([networks, members, refusedConnections], [2, 3, 0])
  stranger.hang()
  await meeting.clock.advance(0)
  assert.equal([meeting.relay.counters().networks, host.isClosed, guest.isClosed], [1, false, false])
})

test('nobody learns from the relay that there is another network of the name', async () => {
  const answers = async (first: NetworkIdentity) => {
    const meeting = openMeeting()
    await meeting.enter(first, 1)
    const host = await meeting.enter(ROOM, 7)
    await meeting.clock.advance(30_000)
    return host.packets.map(({ type, payload }) => [type, payload.length])
  }
  assert.equal(await answers(NAMESAKE), await answers(OTHER_ROOM))
})

test('a network that is not accepted is answered as another network, and closed', async () => {
  const meeting = openMeeting({}, undefined, (name) => name === ROOM.name)
  const stranger = meeting.connect()
  stranger.send(hello(OTHER_ROOM, 8))
  assert.equal(each(stranger.packets, 'type'), [packetTypes.handshake])
  assert.is(stranger.isClosed, true)
  const member = await meeting.enter(ROOM, 7)
  assert.equal([member.isClosed, meeting.relay.counters().networks], [false, 1])
})

test('a peer with a zero digest neither opens nor enters a network, and is answered', async (meeting) => {
  for (const before of [0, 1]) {
    const nobody = meeting.connect()
    nobody.send(hello(ROOM, 8, new Uint8Array(32)))
    await meeting.clock.advance(0)
    assert.equal([nobody.packets.length, nobody.isClosed], [1, true])
    assert.is(meeting.relay.counters().networks, before)
    if (before === 0) await meeting.enter(ROOM, 7)
  }
})

const SILENCED: readonly (readonly [string, Uint8Array])[] = [
  ['a digest of 31 bytes', hello(ROOM, 8, new Uint8Array(31).fill(1))],
  ['a digest of 33 bytes', hello(ROOM, 8, new Uint8Array(33).fill(1))],
  ['no digest', hello(ROOM, 8, new Uint8Array(0))],
  ['no name', hello({ name: '', secret: 's' }, 8)],
  ['a name of 257 characters', hello({ name: 'n'.repeat(257), secret: 's' }, 8)],
  ["the relay's own name", hello({ name: 'lantern-room-relay', secret: 's' }, 8)],
  ['a ping', encodePing(8, 0, 1)],
  ['a handshake that is no message', encodePacket({ from: 8, to: 0, type: 2 }, Uint8Array.of(0xff, 0xff))],
  ['an empty handshake', encodePacket({ from: 8, to: 0, type: 2 }, new Uint8Array(0))],
  ['half a header', new Uint8Array(8)],
]
for (const [what, packet] of SILENCED) {
  test(`${what} as the first packet is closed without an answer`, async (meeting) => {
    const visitor = meeting.connect()
    visitor.send(packet)
    await meeting.clock.advance(0)
    assert.equal([visitor.isClosed, visitor.packets.length, meeting.clock.timers], [true, 0, 0])
    const { networks, connections, refusedConnections } = meeting.relay.counters()
    assert.equal([networks, connections, refusedConnections], [0, 0, 1])
  })
}

test("peer id 0 and the relay's own are refused, and the network that was opened for them is closed", async () => {
  const meeting = openMeeting()
  const zero = await meeting.enter(ROOM, 0)
  assert.equal([zero.isClosed, meeting.relay.counters().networks], [true, 0])
  const member = await meeting.enter(ROOM, 7)
  const double = await meeting.enter(ROOM, relayId(member))
  assert.equal([double.isClosed, meeting.relay.counters().members], [true, 1])
})

test('a connection without a handshake is closed after five seconds', async (meeting) => {
  const silent = meeting.connect()
  await meeting.clock.advance(4999)
  assert.is(silent.isClosed, false)
  await meeting.clock.advance(1)
  const { connections } = meeting.relay.counters()
  assert.equal([silent.isClosed, connections, meeting.clock.timers], [true, 0, 0])
})

test('a full network tells new members so without an answer, and accepts further connections of present ones', async () => {
  const meeting = openMeeting({ membersPerNetwork: 2 })
  await meeting.enter(ROOM, 1)
  const second = await meeting.enter(ROOM, 2)
  const third = await meeting.enter(ROOM, 3)
  assert.equal([third.isClosed, toldIn(third)], [true, ['node-full']])
  const again = await meeting.enter(ROOM, 2)
  assert.is(again.isClosed, false)
  second.hang()
  again.hang()
  await meeting.clock.advance(0)
  assert.is((await meeting.enter(ROOM, 3)).isClosed, false)
})

test('a room has at most four connections for each of its members', async () => {
  const meeting = openMeeting({ membersPerNetwork: 2 })
  const entered = []
  for (let at = 0; at < 9; at += 1) entered.push(await meeting.enter(ROOM, 1 + (at % 2)))
  assert.equal(
    entered.map(({ isClosed }) => isClosed),
    [...Array(8).fill(false), true],
  )
  assert.equal(entered.slice(-1).map(toldIn), [['node-full']])
})

test('forty members of one address are in one room, beside others of that address who still name theirs', async () => {
  const meeting = openMeeting({ connectionsPerAddress: 32, membersPerNetwork: 64 })
  const players = []
  for (let peerId = 1; peerId <= 40; peerId += 1) players.push(await meeting.enter(ROOM, peerId))
  assert.is(players.filter(({ isClosed }) => isClosed).length, 0)
  assert.is(meeting.relay.counters().members, 40)
  const silent = Array.from({ length: 33 }, () => meeting.connect())
  assert.equal(silent.slice(31).map(toldIn), [[], ['address-limit']])
  assert.is(players.filter(({ isClosed }) => isClosed).length, 0)
})

test('connections without a room are limited per address; in IPv6, per network of 64 bits', async () => {
  const meeting = openMeeting({ connectionsPerAddress: 2 })
  const open = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '192.0.2.1', '192.0.2.1', '192.0.2.2']
  const visitors = open.map((address) => meeting.connect(address))
  assert.equal(each(visitors, 'isClosed'), [false, false, false, false, false, false])
  for (const address of ['2001:db8::3', '192.0.2.1']) {
    const refused = meeting.connect(address)
    assert.equal([refused.isClosed, toldIn(refused)], [true, ['address-limit']])
  }
  visitors[3]?.hang()
  await meeting.clock.advance(0)
  assert.is(meeting.connect('192.0.2.1').isClosed, false)
})

test('at most 256 connections may be without a handshake: the oldest one makes room', async () => {
  const meeting = openMeeting({ connectionsPerAddress: 1000 })
  const member = await meeting.enter(ROOM, 4)
  const strangers = Array.from({ length: 256 }, () => meeting.connect())
  strangers[0]?.send(hello(ROOM, 5))
  assert.equal([meeting.connect().isClosed, strangers[1]?.isClosed], [false, false])
  const last = meeting.connect()
  const closed = [last.isClosed, strangers[0]?.isClosed, strangers[1]?.isClosed, strangers[2]?.isClosed]
  assert.equal(closed, [false, false, true, false])
  last.send(hello(ROOM, 6))
  await meeting.clock.advance(0)
  assert.equal([last.isClosed, member.isClosed], [false, false])
  const { members, displaced, connections } = meeting.relay.counters()
  assert.equal([members, displaced, connections], [3, 1, 258])
})

test('close closed every connection and timer; later connections are closed at once', async (meeting) => {
  const members = [await meeting.enter(ROOM, 1), await meeting.enter(OTHER_ROOM, 1)]
  const visitors = [...members, meeting.connect('192.0.2.9')]
  meeting.relay.close()
  await meeting.clock.advance(0)
  assert.equal(each(visitors, 'isClosed'), [true, true, true])
  const counters = meeting.relay.counters()
  assert.equal([counters.networks, counters.members, counters.connections], [0, 0, 0])
  assert.equal([meeting.clock.timers, meeting.connect().isClosed], [0, true])
})

/** The refusals that it was told. */
function toldIn({ packets }: Visitor) {
  return packets.map(decodeRefusal)
}

test.run()
