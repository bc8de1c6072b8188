import type { Clock } from '#core/async/clock'
import { isEstablished, isUnresponsive, type MonitoredConnection } from './connectionState'

/** Within a LAN TCP costs less; over the internet it stalls at every lost packet. */
const NEAR_MS = 3
/** Until a round trip has been measured. */
const UNMEASURED_MS = 500

/** The connection that packets to a neighbour should take. */
export function bestConnection(
  connections: Iterable<MonitoredConnection>,
  peerId: number,
  clock: Clock,
): MonitoredConnection | undefined {
  let best: MonitoredConnection | undefined
  for (const connection of connections) {
    if (connection.peerId !== peerId || !isEstablished(connection.state)) continue
    if (!best || isBetterConnection(connection, best, clock.now())) best = connection
  }
  return best
}

/** Whether packets to a neighbour should rather take the one connection than the other. */
export function isBetterConnection(
  one: MonitoredConnection,
  other: MonitoredConnection,
  now: number,
): boolean {
  const isOneUnresponsive = isUnresponsive(one.state, now)
  if (isOneUnresponsive !== isUnresponsive(other.state, now)) return !isOneUnresponsive
  return cost(one) < cost(other)
}

function cost({ roundTrip = UNMEASURED_MS, origin }: MonitoredConnection): number {
  if (roundTrip <= NEAR_MS) return origin.transport === 'tcp' ? 0 : NEAR_MS
  return origin.transport === 'udp' ? roundTrip : roundTrip * 1.3 + 10
}
