import { setTimeout as sleep } from 'node:timers/promises'
import type { Guest } from './guests'
import type { Host } from './hosts'
import { type Seen, seenBy } from './program'

/**
 * Waits until the real one of the two has such a way to the other one.
 * @returns milliseconds
 */
export async function untilSeen(
  host: Host,
  guest: Guest,
  isRight: (seen: Seen) => boolean,
  limitMs = 40_000,
): Promise<number> {
  const startedAt = performance.now()
  for (let seen: Seen | undefined; ; await sleep(100)) {
    seen = await lookAt(host, guest)
    const took = performance.now() - startedAt
    if (seen && isRight(seen)) return took
    if (took > limitMs) throw new Error(`after ${limitMs / 1000} s: ${JSON.stringify(seen)}`)
  }
}

export function isDirectBy(carrier: 'tcp' | 'udp' | 'ws'): (seen: Seen) => boolean {
  return ({ cost, tunnel_proto }) => cost === 'p2p' && new Set(tunnel_proto.split(',')).has(carrier)
}

export function lookAt(host: Host, guest: Guest): Promise<Seen | undefined> {
  if (guest.core) return seenBy(guest.core(), host.hostname)
  if (host.core) return seenBy(host.core(), guest.hostname)
  throw new Error('neither of them is the real program')
}
