import { rpcMethods } from '#internal/easytier/wire/messages'
import { encodePacket, encodePing, packetFlags, packetTypes } from '#internal/easytier/wire/packet'
import { encodePeerRecord } from '#internal/easytier/wire/peerRecord'
import { decodeRouteSync } from '#internal/easytier/wire/routeSync'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { ask, callsOf, OTHER_ROOM, openMeeting, ROOM, relayId, tell, type Visitor } from './meeting'
import { recordOf } from './records'

const test = suite('relay: what it forwards and answers', { setUp: meet })

const sealed = (from: number, to: number, forwards = 1, size = 100) =>
  encodePacket({ from, to, type: packetTypes.data, flags: packetFlags.encrypted, forwards }, noise(size))

/** A relay with the members 1 and 2 of a room. */
async function meet(limits?: Parameters<typeof openMeeting>[0]) {
  const meeting = openMeeting(limits)
  const one = await meeting.enter(ROOM, 1)
  return { meeting, one, two: await meeting.enter(ROOM, 2) }
}

/** What came beside the relay's own words. */
const carried = ({ raw, packets }: Visitor) => raw.filter((_, at) => packets[at]?.type === packetTypes.data)

test('packets to an unknown peer, to the sender itself, and those that travel in a circle are dropped', async () => {
  const { meeting, one, two } = await meet()
  for (const packet of [sealed(1, 99), sealed(1, 1), sealed(1, 2, 8), sealed(1, 2, 255)]) one.send(packet)
  assert.equal([carried(one).length, carried(two).length, one.isClosed], [0, 0, false])
  assert.is(meeting.relay.counters().relayedBytes, 0)
})

test('nobody sends in the name of the shared node, of nobody, or of another member', async () => {
  const { meeting, two } = await meet()
  const evil = await meeting.enter(ROOM, 3)
  for (const from of [0, relayId(two), 1]) evil.send(sealed(from, 2))
  assert.equal([carried(two).length, meeting.relay.counters().relayedBytes], [0, 0])
  // Of a member that is connected elsewhere it may be the only way.
  evil.send(sealed(4, 2))
  assert.equal(carried(two), [sealed(4, 2)])
})

test('a room has four connections for each of its members, and no more', async () => {
  const meeting = openMeeting({ membersPerNetwork: 2 })
  const visitors: Visitor[] = []
  for (let at = 0; at < 9; at += 1) visitors.push(await meeting.enter(ROOM, 1 + (at % 2)))
  assert.equal(
    visitors.map(({ isClosed }) => isClosed),
    [...Array(8).fill(false), true],
  )
})

test('a member passes on packets of another one that says to be connected to it', async () => {
  const { meeting, one, two } = await meet()
  const three = await meeting.enter(ROOM, 3)
  const say = (connected: readonly number[], version: number) => {
    const records = [encodePeerRecord(recordOf(1, 'one', version))]
    return tell(meeting, one, { rows: [{ peerId: 1, version, connected }], records }, 1)
  }
  await say([relayId(one), 3], 1)
  three.send(sealed(1, 2))
  assert.equal(carried(two), [sealed(1, 2)])
  await say([relayId(one)], 2)
  three.send(sealed(1, 2))
  assert.is(carried(two).length, 1)
})

for (const [what, other] of [
  ['of two names', OTHER_ROOM],
  ['of one name with two digests', { name: ROOM.name, secret: 'another' }],
] as const) {
  test(`networks ${what} stay apart even with equal peer ids`, async () => {
    const meeting = openMeeting()
    const here = await meeting.enter(ROOM, 1)
    await meeting.enter(ROOM, 3)
    const there = await meeting.enter(other, 2)
    const twin = await meeting.enter(other, 3)
    here.send(sealed(1, 2))
    here.send(sealed(1, 3))
    here.send(sealed(2, relayId(there)))
    assert.equal([carried(there).length, carried(twin).length], [0, 0])
    there.send(sealed(2, 3))
    assert.equal(carried(twin), [sealed(2, 3)])
    await meeting.clock.advance(8000)
    const calls = callsOf(there.packets)
    assert.equal([...new Set(calls.map(({ domain }) => domain))], [other.name])
    const syncs = calls.filter(({ service }) => service === rpcMethods.syncRouteInfo.service)
    const named = syncs.flatMap(({ request }) => {
      const { rows, records } = decodeRouteSync(request) ?? { rows: [], records: [] }
      return [
        ...rows.flatMap(({ peerId, connected }) => [peerId, ...connected]),
        ...records.map(({ peerId }) => peerId),
      ]
    })
    assert.equal(new Set(named), new Set([relayId(there), 2, 3]))
  })
}

for (const [what, limits, others] of [
  ['a network over its rate loses packets, others do not', { bytesPerSecond: 1160 }, 1],
  ['the rate of all networks together holds for each of them', { totalBytesPerSecond: 1160 }, 0],
] as const)
  test(what, async () => {
    const { meeting, one, two } = await meet(limits)
    const near = await meeting.enter(OTHER_ROOM, 1)
    const far = await meeting.enter(OTHER_ROOM, 2)
    for (let count = 0; count < 25; count += 1) one.send(sealed(1, 2))
    assert.equal([carried(two).length, meeting.relay.counters().droppedPackets], [10, 15])
    near.send(sealed(1, 2))
    assert.is(carried(far).length, others)
    await meeting.clock.advance(500)
    for (let count = 0; count < 25; count += 1) one.send(sealed(1, 2))
    assert.is(carried(two).length, 15)
    assert.is(meeting.relay.counters().relayedBytes, (15 + others) * 116)
  })

test('pings are answered with the same bytes but the type; relayed members are pinged more often than idle ones', async () => {
  const meeting = openMeeting()
  const one = await meeting.enter(ROOM, 1)
  const ping = encodePing(1, relayId(one), 4711)
  one.send(ping)
  const pong = ping.slice()
  pong[8] = packetTypes.pong
  assert.equal(one.raw.at(-1), pong)
  const pings = () => one.packets.filter(({ type }) => type === packetTypes.ping).length
  await meeting.clock.advance(60_000)
  assert.is(one.isClosed, false)
  const idle = pings()
  assert.ok(idle >= 6 && idle <= 8, `${idle} pings in a minute without anything to relay`)
  for (let second = 0; second < 60; second += 5) {
    one.send(sealed(1, 2))
    await meeting.clock.advance(5000)
  }
  assert.ok(pings() - idle > 15, `${pings() - idle} pings in a minute of one who is relayed`)
})

test('a silent member is dropped after 12 s, and the others are notified', async ({ meeting, one, two }) => {
  await meeting.clock.advance(30_000)
  assert.is(meeting.relay.counters().members, 2)
  two.send(sealed(2, 1))
  await meeting.clock.advance(4000)
  two.fallSilent()
  await meeting.clock.advance(8000)
  assert.is(two.isClosed, false)
  await meeting.clock.advance(5000)
  assert.equal([two.isClosed, meeting.relay.counters().members], [true, 1])
  await meeting.clock.advance(5000)
  const rows = callsOf(one.packets).flatMap(({ request }) => decodeRouteSync(request)?.rows ?? [])
  assert.equal(rows.filter(({ peerId }) => peerId === relayId(one)).at(-1)?.connected, [1])
})

test('as the peer center it accepts reports and returns an empty map; calls meant for members are refused', async () => {
  const meeting = openMeeting()
  const one = await meeting.enter(ROOM, 1)
  const { reportPeers, getGlobalPeerMap, getIpList, selectPunchListener } = rpcMethods
  const call = (method: { service: string; method: number; domain?: string }) =>
    ask(meeting, one, 1, method, new Uint8Array(0))
  assert.equal((await call(reportPeers))?.answer, { kind: 'response', response: new Uint8Array(0) })
  const { answer: map } = (await call(getGlobalPeerMap)) ?? {}
  assert.ok(map?.kind === 'response')
  assert.ok(getGlobalPeerMap.response.decode(map.response))
  for (const method of [getIpList, selectPunchListener, { ...reportPeers, domain: 'another-room' }]) {
    const { answer } = (await call({ ...method })) ?? {}
    assert.ok(answer?.kind === 'error')
    assert.is(answer.error.case, 'invalidService')
  }
})

test.run()
