import type { RelayCounters } from '#core/easytier/relay/relay'

/** Name, type and meaning of each counter in Prometheus' text format. */
const METRICS: Readonly<Record<keyof RelayCounters, readonly [name: string, type: string, help: string]>> = {
  networks: ['room_relay_rooms', 'gauge', 'Rooms that have a member now.'],
  members: ['room_relay_members', 'gauge', 'Members of all rooms.'],
  connections: ['room_relay_connections', 'gauge', 'Open connections.'],
  relayedBytes: ['room_relay_relayed_bytes_total', 'counter', 'Bytes forwarded between members.'],
  droppedPackets: ['room_relay_dropped_packets_total', 'counter', 'Packets over a rate.'],
  refusedConnections: [
    'room_relay_refused_connections_total',
    'counter',
    'Connections over a limit, or invalid.',
  ],
  displaced: [
    'room_relay_displaced_total',
    'counter',
    'Quiet rooms, and connections without a handshake, closed to make room.',
  ],
}

/** @see https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function renderMetrics(counters: RelayCounters): string {
  return (Object.keys(METRICS) as (keyof RelayCounters)[])
    .map((key) => {
      const [name, type, help] = METRICS[key]
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${counters[key]}\n`
    })
    .join('')
}
