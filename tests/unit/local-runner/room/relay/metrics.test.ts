import { createMonthlyQuota } from '#core/easytier/relay/monthlyQuota'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { renderMetrics } from '../../../../../local-runner/room/relay/metrics'

const test = suite('room relay: metrics')

const NONE = {
  networks: 0,
  members: 0,
  connections: 0,
  relayedBytes: 0,
  droppedPackets: 0,
  refusedConnections: 0,
  displaced: 0,
}

test('each counter has help, type and value, as Prometheus reads them', () => {
  const text = renderMetrics({
    networks: 1,
    members: 2,
    connections: 3,
    relayedBytes: 4_000_000_000,
    droppedPackets: 5,
    refusedConnections: 6,
    displaced: 7,
  })
  assert.ok(text.endsWith('\n'))
  const values = text.split('\n').filter((line) => line && !line.startsWith('#'))
  assert.equal(values, [
    'room_relay_rooms 1',
    'room_relay_members 2',
    'room_relay_connections 3',
    'room_relay_relayed_bytes_total 4000000000',
    'room_relay_dropped_packets_total 5',
    'room_relay_refused_connections_total 6',
    'room_relay_displaced_total 7',
  ])
  for (const [name] of values.map((line) => line.split(' '))) {
    assert.match(text, new RegExp(`# HELP ${name} .+\\.\n# TYPE ${name} (gauge|counter)\n${name} `))
  }
})

test('a quota has its limit and what is spent of it', () => {
  const clock = createFakeClock()
  const quota = createMonthlyQuota(1000, { clock, log: silentLog() })
  quota.spend(10)
  const text = renderMetrics(NONE, quota)
  assert.match(text, /^room_relay_quota_bytes 1000$/m)
  assert.match(text, /^room_relay_quota_spent_bytes 10$/m)
  assert.not.match(renderMetrics(NONE), /quota/)
})
