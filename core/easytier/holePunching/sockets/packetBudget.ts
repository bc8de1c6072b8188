import type { Clock } from '#core/clock'

/** Bounds how often something is done for each of many keys. */
export type PacketBudget = {
  /** @returns whether so many are within the bounds now; only then are they counted */
  take(key: string, count?: number): boolean
}

/** More keys than there can be members or attempts at once; beyond, new ones are refused. */
const MAX_KEYS = 512

/** For each key a bucket of `burst`, which fills with `perSecond`. Full ones are forgotten. */
export function createPacketBudget(
  clock: Clock,
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
): PacketBudget {
  const buckets = new Map<string, { tokens: number; filledAt: number }>()
  const filled = ({ tokens, filledAt }: { tokens: number; filledAt: number }) =>
    Math.min(burst, tokens + ((clock.now() - filledAt) / 1000) * perSecond)

  return {
    take(key, count = 1) {
      const known = buckets.get(key)
      if (!known && buckets.size >= MAX_KEYS && !forgetFull()) return false
      const tokens = known ? filled(known) : burst
      if (tokens < count) return false
      buckets.set(key, { tokens: tokens - count, filledAt: clock.now() })
      return true
    },
  }

  function forgetFull(): boolean {
    for (const [key, bucket] of buckets) if (filled(bucket) >= burst) buckets.delete(key)
    return buckets.size < MAX_KEYS
  }
}
