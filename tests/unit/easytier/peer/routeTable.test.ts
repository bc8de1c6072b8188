import * as assert from 'uvu/assert'
import { createRouteTable } from '#core/easytier/peer/routeTable'
import { encodePeerRecord, type ReceivedRecord } from '#core/easytier/wire/peerRecord'
import { suite } from '#support/runner/suite'
import { recordOf } from '../relay/records'

const test = suite('route table')

const OWN = 1

test('of two records of a peer the one with the higher version counts, in any order', () => {
  const table = openTable()
  assert.is(table.merge([received(2, 'second', 2)], [], 0), true)
  assert.is(table.merge([received(2, 'first', 1)], [], 0), false)
  assert.is(table.merge([received(2, 'another', 2)], [], 0), false)
  assert.is(table.record(2)?.hostname, 'second')
  assert.is(table.merge([received(2, 'third', 3)], [], 0), true)
  assert.is(table.record(2)?.hostname, 'third')
})

test('of two rows of a peer the one with the higher version counts', () => {
  const table = openTable()
  table.setNeighbours([2])
  table.merge([], [{ peerId: 2, version: 2, connected: [OWN, 3] }], 0)
  assert.is(table.nextHop(3), 2)
  assert.is(table.merge([], [{ peerId: 2, version: 1, connected: [OWN] }], 0), false)
  assert.is(table.nextHop(3), 2)
  table.merge([], [{ peerId: 2, version: 3, connected: [OWN] }], 0)
  assert.is(table.nextHop(3), undefined)
})

test('the next hop is on a path with the fewest hops', () => {
  const table = openTable()
  table.setNeighbours([2, 3])
  table.merge(
    [],
    [
      { peerId: 2, version: 1, connected: [OWN, 4] },
      { peerId: 3, version: 1, connected: [OWN, 5] },
      { peerId: 4, version: 1, connected: [2, 5] },
    ],
    0,
  )
  assert.equal(
    [2, 3, 4, 5, 6].map((peerId) => table.nextHop(peerId)),
    [2, 3, 2, 3, undefined],
  )
})

test('a peer that avoids relaying is passed only where there is no other path', () => {
  const table = openTable()
  table.setNeighbours([2, 3])
  table.merge([received(2, 'unwilling', 1, true), received(3, 'willing', 1, false)], [], 0)
  table.merge([], [{ peerId: 2, version: 1, connected: [OWN, 9] }], 0)
  assert.is(table.nextHop(9), 2)
  table.merge([], [{ peerId: 3, version: 1, connected: [OWN, 9] }], 0)
  assert.is(table.nextHop(9), 3)
})

test('records without an id or a version are left out', () => {
  const table = openTable()
  assert.is(table.merge([received(0, 'nobody', 1), received(2, 'unversioned', 0)], [], 0), false)
  assert.is(table.record(2), undefined)
})

test('a peer is forgotten 90 s after it became unreachable', () => {
  const table = openTable()
  table.setNeighbours([2])
  table.merge([received(2, 'there', 1)], [], 0)
  assert.is(table.tick(100_000), false)
  table.setNeighbours([])
  assert.is(table.tick(200_000), false)
  assert.is(table.tick(290_000), false)
  assert.is(table.record(2)?.hostname, 'there')
  assert.is(table.tick(290_001), true)
  assert.is(table.record(2), undefined)
})

test.run()

function openTable() {
  const { version: _, updatedAtUnixMs: __, ...own } = recordOf(OWN, 'own')
  return createRouteTable(own, () => 0)
}

function received(peerId: number, hostname: string, version: number, avoidsRelay = true): ReceivedRecord {
  const record = recordOf(peerId, hostname, version)
  const whole = { ...record, features: { ...record.features, avoidsRelay } }
  return { ...whole, raw: encodePeerRecord(whole) }
}
