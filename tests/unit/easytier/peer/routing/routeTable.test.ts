import type { LimitName } from '#internal/easytier/limitLog'
import { MAX_MEMBERS } from '#internal/easytier/peer/routing/memberPlaces'
import { MAX_RECORDS, RouteTable } from '#internal/easytier/peer/routing/routeTable'
import { encodePeerRecord, type PeerRecord, type ReceivedRecord } from '#internal/easytier/wire/peerRecord'
import { MEMBER_FEATURES, memberRecord } from '#support/network/memberRecord'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'

const test = suite('the route table', { setUp })

const OWN = 1

function setUp(rankOf?: (neighbour: number) => number) {
  let time = 1_000_000
  const refused: LimitName[] = []
  const table = new RouteTable({
    record: recordOf(OWN),
    unixTime: () => time,
    onRefused: (limit) => void refused.push(limit),
  })
  if (rankOf) table.rankNeighbours(rankOf)
  return {
    table,
    refused,
    pass(ms: number) {
      time += ms
    },
    /** Records of these peers, and who is connected to whom. */
    learn(rows: Readonly<Record<number, readonly number[]>>, unwilling: readonly number[] = [], now = 0) {
      const peers = Object.entries(rows).map(([id, connected]) => ({ peerId: Number(id), connected }))
      return table.merge(
        peers.map(({ peerId }) => received(recordOf(peerId, unwilling.includes(peerId)))),
        peers.map(({ peerId, connected }) => ({ peerId, version: 1, connected })),
        now,
      )
    },
  }
}

test('of paths of the same length the one over the neighbour with the lowest rank is taken', () => {
  const ranks: Record<number, number> = { 2: 1, 3: 0 }
  const { table, learn } = setUp((peerId) => ranks[peerId] ?? 0)
  table.setNeighbours([2, 3])
  learn({ 2: [OWN, 4], 3: [OWN, 4], 4: [2, 3] })
  assert.is(table.nextHop(4), 3)
  ranks[3] = 2
  assert.is(table.nextHop(4), 3, 'as long as nothing is told')
  table.reroute()
  assert.equal([table.nextHop(4), table.nextHop(3), table.nextHop(2)], [2, 3, 2])
  learn({ 5: [3] })
  table.merge([], [{ peerId: 3, version: 2, connected: [OWN, 4, 5] }], 0)
  assert.is(table.nextHop(5), 3, 'a shorter path comes first')
})

test('what is reachable changes with our neighbours, and the lists stay the same until then', () => {
  const { table, learn } = setUp()
  table.setNeighbours([2])
  learn({ 2: [OWN, 3], 3: [2] })
  const before = table.reachableRecords()
  assert.equal(each(before, 'peerId'), [OWN, 2, 3])
  assert.is(table.reachableRecords(), before)
  table.setNeighbours([])
  assert.equal(each(table.reachableRecords(), 'peerId'), [OWN])
})

test('a peer that was unreachable for more than 90 s is forgotten', ({ table, learn }) => {
  learn({ 2: [] })
  assert.equal([table.tick(0), table.tick(90_000)], [false, false])
  assert.ok(table.record(2))
  assert.equal([table.tick(90_001), table.record(2)], [true, undefined])
})

test('of peers that only a neighbour has told of, those that cannot be reached are forgotten with it', () => {
  const { table, learn } = setUp()
  table.setNeighbours([2])
  learn({ 2: [OWN, 3], 3: [2], 4: [3], 5: [9] })
  table.forgetUnreachable([3, 4, 5, OWN])
  const isKnown = [3, 4, 5].map((peerId) => table.record(peerId) !== undefined)
  assert.equal(isKnown, [true, false, false])
})

test('our record is renewed after half an hour, and when another run of ours is met', ({ table, pass }) => {
  pass(1_800_000)
  assert.is(table.tick(0), false)
  pass(1)
  assert.equal([table.tick(0), table.own().version], [true, 2])
  const other = received({ ...recordOf(OWN), version: 7, routeId: '99' })
  assert.equal([table.merge([other], [], 0), table.own().version], [true, 8])
  assert.is(table.merge([received({ ...recordOf(OWN), version: 7 })], [], 0), false, 'an older one')
  assert.is(table.merge([received({ ...recordOf(OWN), version: 0x8000_0000 })], [], 0), false, 'a lie')
})

test('only newer records and rows are news', ({ learn, table }) => {
  assert.equal([learn({ 2: [OWN] }), learn({ 2: [OWN] })], [true, false])
  assert.is(table.merge([received({ ...recordOf(2), version: 2 })], [], 0), true)
  assert.is(table.merge([], [{ peerId: 2, version: 2, connected: [] }], 0), true)
  assert.is(table.merge([], [{ peerId: OWN, version: 9, connected: [] }], 0), false, 'our own row')
  assert.is(table.merge([], [{ peerId: 0, version: 9, connected: [] }], 0), false)
})

test('as many members as there are places, with ourselves: one more is refused, one of them may change', () => {
  const { table, refused } = setUp()
  const learn = (peerId: number, version = 1) =>
    table.merge([received({ ...recordOf(peerId), version })], [], 0)
  for (let peerId = 2; peerId <= MAX_MEMBERS; peerId += 1) assert.ok(learn(peerId))
  assert.equal([learn(1000), refused, table.record(1000)], [false, ['members'], undefined])
  assert.ok(learn(2, 2))
})

test('shared nodes take no places of members, also when members call themselves so', () => {
  const { table, refused } = setUp()
  const learn = (peerId: number, isSharedNode: boolean, version = 1) =>
    table.merge(
      [received({ ...recordOf(peerId), version, features: { ...MEMBER_FEATURES, isSharedNode } })],
      [],
      0,
    )
  for (let at = 0; at < MAX_RECORDS - MAX_MEMBERS; at += 1) assert.ok(learn(1000 + at, true))
  assert.not.ok(learn(5000, true))
  for (let peerId = 2; peerId <= MAX_MEMBERS; peerId += 1) assert.ok(learn(peerId, false))
  assert.equal(refused, ['records'])
  assert.equal([learn(6000, false), learn(2, true, 2), learn(1000, false, 2)], [false, false, false])
  assert.ok(learn(2, false, 3))
})

test('as many rows as records, and those of peers that have a record all the same', ({ table, refused }) => {
  const learnRow = (peerId: number) => table.merge([], [{ peerId, version: 1, connected: [] }], 0)
  for (let at = 0; at < MAX_RECORDS; at += 1) assert.ok(learnRow(5000 + at))
  assert.not.ok(learnRow(9000))
  assert.equal(refused, ['records'])
  table.merge([received(recordOf(2))], [], 0)
  assert.ok(learnRow(2))
})

function recordOf(peerId: number, avoidsRelay = false): PeerRecord {
  return { ...memberRecord(peerId), features: { ...MEMBER_FEATURES, avoidsRelay } }
}

function received(record: PeerRecord): ReceivedRecord {
  return { ...record, raw: encodePeerRecord(record) }
}

test.run()
