import { setTimeout as sleep } from 'node:timers/promises'
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
  for (let seen: ObservedRoute | undefined; ; await sleep(100)) {
    seen = await observedRoute(host, guest)
    const took = performance.now() - startedAt
    if (seen && isRight(seen)) return took
    if (took > limitMs) throw new Error(`after ${limitMs / 1000} s: ${JSON.stringify(seen)}`)
  }
}

export function isDirectBy(carrier: 'tcp' | 'udp' | 'ws'): (seen: ObservedRoute) => boolean {
  return ({ cost, tunnel_proto }) => cost === 'p2p' && new Set(tunnel_proto.split(',')).has(carrier)
}

export function observedRoute(host: Host, guest: Guest): Promise<ObservedRoute | undefined> {
  if (guest.core) return routeSeenBy(guest.core(), host.hostname)
  if (host.core) return routeSeenBy(host.core(), guest.hostname)
  throw new Error('neither of them is the real program')
}
