import type { Clock } from '#core/clock'

/** A token bucket for each of many keys. */
export type PacketBudget = {
  /** @returns whether the key's bucket held `count` tokens (default 1); only then are they taken */
  take(key: string, count?: number): boolean
}

/** More keys than there can be members or attempts at once; further keys are refused. */
const MAX_KEYS = 512

/** Buckets start full with `burst` tokens and are refilled at `perSecond`. Full ones are forgotten when space is needed. */
export function createPacketBudget(
  clock: Clock,
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
): PacketBudget {
  const buckets = new Map<string, Bucket>()
  const tokensIn = ({ tokens, filledAt }: Bucket) =>
    Math.min(burst, tokens + ((clock.now() - filledAt) / 1000) * perSecond)

  return {
    take(key, count = 1) {
      const bucket = buckets.get(key)
      if (!bucket && buckets.size >= MAX_KEYS && !forgetFull()) return false
      const tokens = bucket ? tokensIn(bucket) : burst
      if (tokens < count) return false
      buckets.set(key, { tokens: tokens - count, filledAt: clock.now() })
      return true
    },
  }

  /** @returns whether there is space for another key now */
  function forgetFull(): boolean {
    for (const [key, bucket] of buckets) if (tokensIn(bucket) >= burst) buckets.delete(key)
    return buckets.size < MAX_KEYS
  }
}

type Bucket = { readonly tokens: number; readonly filledAt: number }
