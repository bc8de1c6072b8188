import { rpcMethods } from '#internal/easytier/wire/messages'
import { encodePing, packetTypes } from '#internal/easytier/wire/packet'
import { encodePeerRecord } from '#internal/easytier/wire/peerRecord'
import { decodeRouteSync, type Row } from '#internal/easytier/wire/routeSync'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { ask, callsOf, openMeeting, ROOM, relayId, tell } from './meeting'
import { recordOf } from './records'

const test = suite('relay: hostile members and unknown peers', { setUp: meet, timeoutMs: 120_000 })

/** A relay with the members 1 and 3 of a room. */
async function meet(limits?: Parameters<typeof openMeeting>[0]) {
  const meeting = openMeeting(limits)
  const one = await meeting.enter(ROOM, 1)
  return { meeting, one, evil: await meeting.enter(ROOM, 3) }
}

test('300 records of 16 KB from one member are sent to the others in parts, so that no call is too long', async () => {
  const { meeting, one, evil } = await meet()
  const lies = Array.from({ length: 300 }, (_, at) => recordOf(100 + at, 'x'.repeat(16_000)))
  for (let at = 0; at < lies.length; at += 3) {
    const rows = [{ peerId: 3, version: at + 1, connected: lies.map(({ peerId }) => peerId).slice(0, 200) }]
    await tell(meeting, evil, { rows, records: lies.slice(at, at + 3).map(encodePeerRecord) })
    await meeting.clock.advance(100)
  }
  await meeting.clock.advance(20_000)
  assert.is(one.isClosed, false)
  const sizes = callsOf(one.packets).map(({ request }) => request.length)
  assert.ok(sizes.length > 1)
  assert.ok(Math.max(...sizes) <= 65_536, `${Math.max(...sizes)} bytes`)
})

test("a member's records of other connected members are ignored, those of members elsewhere are accepted", async () => {
  const { meeting, one: host, evil } = await meet()
  const guest = await meeting.enter(ROOM, 2)
  const own = [encodePeerRecord(recordOf(1, 'scaffolding-mc-server-13448', 5))]
  await tell(meeting, host, { rows: [], records: own }, 1)
  const lies = [recordOf(1, 'nobody', 2 ** 31), recordOf(4, 'elsewhere')]
  const rows = [
    { peerId: 1, version: 2 ** 31, connected: [3] },
    { peerId: 3, version: 2, connected: [4] },
  ]
  await tell(meeting, evil, { rows, records: lies.map(encodePeerRecord) })
  await meeting.clock.advance(8000)
  const told = callsOf(guest.packets).flatMap(({ request }) => decodeRouteSync(request) ?? [])
  const names = told.flatMap(({ records }) => records.map(({ peerId, hostname }) => `${peerId} ${hostname}`))
  // Told again, since nobody answers here.
  const ofHost = new Set(names.filter((name) => name.startsWith('1 ')))
  assert.equal(ofHost, new Set(['1 scaffolding-mc-server-13448']))
  assert.ok(names.includes('4 elsewhere'))
  const rowsTold = told.flatMap((sync) => sync.rows)
  assert.not.ok(rowsTold.some(({ peerId, version }) => peerId === 1 && version === 2 ** 31))
})

test('rows that name 65,000 peers do not fill the route table', async ({ meeting, one, evil }) => {
  const rowOf = (peerId: number): Row => ({
    peerId,
    version: 1,
    connected: Array.from({ length: 250 }, (_, at) => peerId * 1000 + at),
  })
  const first = rowOf(3)
  for (const row of [first, ...first.connected.map(rowOf)]) {
    await tell(meeting, evil, { rows: [row], records: [] })
    await meeting.clock.advance(20)
  }
  await meeting.clock.advance(10_000)
  const tables = callsOf(one.packets).map(({ request }) => decodeRouteSync(request)?.rows ?? [])
  const named = tables.map((rows) => new Set(rows.flatMap(({ connected }) => connected)).size)
  assert.ok(Math.max(...named) <= 256, `${Math.max(...named)} peers`)
  // What is true is told all the same.
  assert.ok(tables.flat().some(({ peerId, connected }) => peerId === relayId(one) && connected.includes(3)))
})

test('a flood of calls is answered up to a limit, and other members are still served', async () => {
  const { meeting, one, evil } = await meet()
  const before = evil.raw.length
  const { reportPeers, getGlobalPeerMap } = rpcMethods
  for (let count = 0; count < 400; count += 1) {
    await ask(meeting, evil, 3, reportPeers, noise(50_000))
    if (count % 100 === 0) await meeting.clock.advance(10)
  }
  assert.ok(evil.raw.length - before < 100, `${evil.raw.length - before} answers`)
  await meeting.clock.advance(1500)
  assert.is((await ask(meeting, one, 1, getGlobalPeerMap, new Uint8Array(0)))?.answer?.kind, 'response')
})

test('a member that floods the relay with pings and changes of its record takes nothing from the others', async () => {
  const { meeting, one, evil } = await meet()
  const { getGlobalPeerMap } = rpcMethods
  let pongs = 0
  let answers = 0
  for (let second = 1; second <= 10; second += 1) {
    for (let count = 0; count < 600; count += 1) evil.send(encodePing(3, relayId(evil), 1))
    const before = one.packets.length
    for (let count = 0; count < 40; count += 1)
      await tell(meeting, evil, {
        rows: [],
        records: [encodePeerRecord(recordOf(3, 'x'.repeat(15_000), second * 100 + count))],
      })
    one.send(encodePing(1, relayId(one), second))
    pongs += one.packets.slice(before).filter(({ type }) => type === packetTypes.pong).length
    const answer = await ask(meeting, one, 1, getGlobalPeerMap, new Uint8Array(0))
    if (answer) answers += 1
    await meeting.clock.advance(1000)
  }
  assert.equal([pongs, answers], [10, 10])
})

test.run()
