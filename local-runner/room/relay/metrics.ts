import type { MonthlyQuota } from '#core/easytier/relay/monthlyQuota'
import type { RelayCounters } from '#core/easytier/relay/relay'

type Metric = readonly [name: string, type: string, help: string]

/** Name, type and meaning of each counter in Prometheus' text format. */
const METRICS: Readonly<Record<keyof RelayCounters, Metric>> = {
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
export function renderMetrics(counters: RelayCounters, quota?: MonthlyQuota): string {
  const counted = (Object.keys(METRICS) as (keyof RelayCounters)[]).map((key) =>
    metric(METRICS[key], counters[key]),
  )
  if (!quota) return counted.join('')
  const { limit } = quota
  return [
    ...counted,
    metric(['room_relay_quota_bytes', 'gauge', 'Bytes that may be forwarded in a month.'], limit),
    metric(
      ['room_relay_quota_spent_bytes', 'gauge', 'Bytes forwarded in this month (UTC).'],
      quota.count().bytes,
    ),
  ].join('')
}

function metric([name, type, help]: Metric, value: number): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`
}
