import { createDatagramLayer } from '#core/easytier/ip/datagramLayer'
import { createLimitLog, type LimitName } from '#core/easytier/limitLog'
import { MAX_MEMBERS } from '#core/easytier/peer/routing/memberPlaces'
import { MAX_RECORDS, RouteTable } from '#core/easytier/peer/routing/routeTable'
import { encodePeerRecord } from '#core/easytier/wire/peerRecord'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { recordOf } from '../../unit/easytier/relay/records'

const test = suite('room network: limits')

const received = (peerId: number, isSharedNode = false, version = 1) => {
  const record = recordOf(peerId, 'somebody', version)
  const whole = { ...record, features: { ...record.features, isSharedNode } }
  return { ...whole, raw: encodePeerRecord(whole) }
}
const someTable = () => {
  const refused: LimitName[] = []
  const { version: _, updatedAtUnixMs: __, ...own } = recordOf(1, 'me')
  return {
    refused,
    table: new RouteTable({
      record: own,
      unixTime: () => 0,
      onRefused: (limit) => void refused.push(limit),
    }),
  }
}

test('as many members as there are places, with ourselves: one more is refused, one of them may change', () => {
  const { table, refused } = someTable()
  for (let peerId = 2; peerId <= MAX_MEMBERS; peerId += 1) assert.ok(table.merge([received(peerId)], [], 0))
  assert.not.ok(table.merge([received(1000)], [], 0))
  assert.equal(refused, ['members'])
  assert.is(table.record(1000), undefined)
  assert.ok(table.merge([received(2, false, 2)], [], 0))
})

test('shared nodes do not take the place of members; 256 records of both, and as many rows', () => {
  const { table, refused } = someTable()
  for (let at = 0; at < MAX_RECORDS; at += 1) table.merge([received(1000 + at, true)], [], 0)
  assert.equal(refused, [])
  assert.not.ok(table.merge([received(2)], [], 0))
  assert.equal(refused, ['records'])
  for (let at = 0; at < MAX_RECORDS; at += 1)
    assert.ok(table.merge([], [{ peerId: 5000 + at, version: 1, connected: [] }], 0))
  assert.not.ok(table.merge([], [{ peerId: 9000, version: 1, connected: [] }], 0))
  assert.equal(refused, ['records', 'records'])
})

test('1,024 UDP flows: one more hears nothing and sends nothing, and a place that is left can be taken', () => {
  const refused: LimitName[] = []
  const clock = createFakeClock()
  let port = 0
  let sent = 0
  const layer = createDatagramLayer({
    clock,
    ownAddress: () => 0x0a909001,
    accepts: () => true,
    onFlow: () => {},
    randomPort() {
      port += 1
      return port
    },
    send() {
      sent += 1
    },
    onRefused: (limit) => void refused.push(limit),
  })
  const open = () => layer.open({ peerId: 2, address: 0x0a909002, port: 25_565 })
  const flows = Array.from({ length: 1024 }, open)
  assert.equal(refused, [])
  open().send(new Uint8Array(1))
  assert.is(sent, 0)
  assert.equal(refused, ['UDP flows'])
  flows[0]?.close()
  open().send(new Uint8Array(1))
  assert.is(sent, 1)
  assert.is(refused.length, 1)
  layer.close()
})

test('each limit is said once, and every refusal of a member is passed on', () => {
  const said: unknown[] = []
  const ignore = () => {}
  const overShares: unknown[] = []
  const log = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (_message: string, fields: unknown) => void said.push(fields),
  }
  const onRefused = createLimitLog(log, (...overShare) => void overShares.push(overShare))
  for (const limit of ['streams', 'members', 'streams'] as const) onRefused(limit)
  onRefused('streams', 7, 'full')
  onRefused('streams', 7)
  assert.equal(said, [{ limit: 'streams' }, { limit: 'members' }])
  assert.equal(overShares, [
    [7, 'streams', 'full'],
    [7, 'streams', undefined],
  ])
})

test.run()
