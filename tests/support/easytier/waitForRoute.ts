import { eventually } from '#support/values/until'
import type { Guest } from './guests'
import type { Host } from './hosts'
import { type ObservedRoute, routeSeenBy } from './program'

/**
 * Waits until the real one of the two has such a way to the other one.
 * @returns milliseconds
 */
export async function waitForRoute(
  host: Host,
  guest: Guest,
  isRight: (seen: ObservedRoute) => boolean,
  limitMs = 40_000,
): Promise<number> {
  const startedAt = performance.now()
  const look = () => observedRoute(host, guest)
  await eventually(look, (seen) => seen !== undefined && isRight(seen), { ms: limitMs, everyMs: 100 })
  return performance.now() - startedAt
}

export function isDirectBy(carrier: 'tcp' | 'udp' | 'ws'): (seen: ObservedRoute) => boolean {
  return ({ cost, tunnel_proto }) => cost === 'p2p' && new Set(tunnel_proto.split(',')).has(carrier)
}

export function observedRoute(host: Host, guest: Guest): Promise<ObservedRoute | undefined> {
  if (guest.core) return routeSeenBy(guest.core(), host.hostname)
  if (host.core) return routeSeenBy(host.core(), guest.hostname)
  throw new Error('neither of them is the real program')
}
