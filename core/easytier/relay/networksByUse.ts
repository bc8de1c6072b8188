import type { Clock } from '#core/async/clock'

/** A network in which no member sent another one a packet for this long may be closed to admit a new network. */
export const QUIET_MS = 60_000
/** The order need not be more exact; a busy network sends thousands of packets in this time. */
const ORDER_MS = 1000

/** Networks by a key, the one that was unused for longest first. */
export function createNetworksByUse<T>(clock: Clock) {
  // In the order of their use, since each use puts one at the end.
  const entries = new Map<string, { readonly network: T; readonly usedAt: number }>()
  return {
    get size(): number {
      return entries.size
    },
    get: (key: string): T | undefined => entries.get(key)?.network,
    /** A new one counts as used now. */
    set: (key: string, network: T): void => void entries.set(key, { network, usedAt: clock.now() }),
    delete: (key: string): void => void entries.delete(key),
    /** Notes that members exchange packets. */
    noteUse(key: string): void {
      const entry = entries.get(key)
      const now = clock.now()
      if (!entry || now - entry.usedAt < ORDER_MS) return
      entries.delete(key)
      entries.set(key, { network: entry.network, usedAt: now })
    },
    /** The network that was unused for longest, if that is a minute or more. */
    quietest(): { readonly key: string; readonly network: T } | undefined {
      const [first] = entries
      if (!first) return undefined
      const [key, { network, usedAt }] = first
      return clock.now() - usedAt >= QUIET_MS ? { key, network } : undefined
    },
    values: (): readonly T[] => [...entries.values()].map(({ network }) => network),
    clear: (): void => entries.clear(),
  }
}
