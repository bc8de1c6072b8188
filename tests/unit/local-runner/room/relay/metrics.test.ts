import * as assert from 'uvu/assert'
import { suite } from '#support/runner/suite'
import { renderMetrics } from '../../../../../local-runner/room/relay/metrics'

const test = suite('room relay: metrics')

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

test.run()
