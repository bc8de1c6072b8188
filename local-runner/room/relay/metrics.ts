import type { MonthlyQuota } from '#core/easytier/relay/monthlyQuota'
import type { RelayCounters } from '#core/easytier/relay/relay'
import { type MetricHead, renderMetric } from '../../serveMetrics'

const METRICS: Readonly<Record<keyof RelayCounters, MetricHead>> = {
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

/** A relay's counters in Prometheus' text format. */
export function renderMetrics(counters: RelayCounters, quota?: MonthlyQuota): string {
  const counted = (Object.keys(METRICS) as (keyof RelayCounters)[]).map((key) =>
    renderMetric(METRICS[key], counters[key]),
  )
  if (!quota) return counted.join('')
  const { limit } = quota
  return [
    ...counted,
    renderMetric(['room_relay_quota_bytes', 'gauge', 'Bytes that may be forwarded in a month.'], limit),
    renderMetric(
      ['room_relay_quota_spent_bytes', 'gauge', 'Bytes forwarded in this month (UTC).'],
      quota.count().bytes,
    ),
  ].join('')
}

/** The one word of `/health`. */
export function relayStatus(quota: MonthlyQuota | undefined): 'ok' | 'quota-spent' {
  return quota?.isSpent() ? 'quota-spent' : 'ok'
}

/** What `/health` answers on this machine: 503 while the monthly quota is spent. */
export function relayHealth(quota: MonthlyQuota | undefined): Response {
  const status = relayStatus(quota)
  if (!quota) return Response.json({ status })
  const { bytes } = quota.count()
  const resetsAt = new Date(quota.resetsAt()).toISOString()
  return Response.json(
    { status, quota: { limit: quota.limit, bytes, resetsAt } },
    { status: status === 'ok' ? 200 : 503 },
  )
}
