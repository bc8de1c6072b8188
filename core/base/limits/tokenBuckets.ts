import type { Clock } from '../async/clock'

/** More keys than there can be members or attempts at once; further keys are refused. */
const MAX_KEYS = 512

/** Tokens that come back each second, and those of a full bucket. */
type TokenRate = { readonly perSecond: number; readonly burst: number }

/**
 * A token bucket for each of many keys.
 * Buckets start full with `burst` tokens and are refilled at `perSecond`. Full ones are forgotten when space is needed.
 * @example
 * const buckets = createTokenBuckets(clock, { perSecond: 2, burst: 20 })
 * if (!buckets.take(memberId)) throw new ServiceError('too-busy', 'Wait a moment, and try again.')
 */
export function createTokenBuckets(clock: Clock, { perSecond, burst }: TokenRate) {
  const buckets = new Map<string, Bucket>()
  const tokensIn = ({ tokens, filledAt }: Bucket) =>
    Math.min(burst, tokens + ((clock.now() - filledAt) / 1000) * perSecond)

  return {
    /** @returns whether the key's bucket held `count` tokens (default 1); only then are they taken */
    take(key: string, count = 1): boolean {
      const tokens = tokensOf(key)
      if (tokens < count) return false
      buckets.set(key, { tokens: tokens - count, filledAt: clock.now() })
      return true
    },
    /**
     * Takes one token ahead of time, as many as the burst at most.
     * @returns in how many milliseconds it is filled in; 0 when it was there
     */
    borrow(key: string): number {
      const tokens = tokensOf(key)
      if (buckets.has(key) || tokens > 0)
        buckets.set(key, { tokens: Math.max(-burst, tokens - 1), filledAt: clock.now() })
      return Math.max(0, Math.ceil(((1 - tokens) * 1000) / perSecond))
    },
  }

  /** 0 where there is no space for the key. */
  function tokensOf(key: string): number {
    const bucket = buckets.get(key)
    if (bucket) return tokensIn(bucket)
    return buckets.size < MAX_KEYS || forgetFull() ? burst : 0
  }

  /** @returns whether there is space for another key now */
  function forgetFull(): boolean {
    for (const [key, bucket] of buckets) if (tokensIn(bucket) >= burst) buckets.delete(key)
    return buckets.size < MAX_KEYS
  }
}

type Bucket = { readonly tokens: number; readonly filledAt: number }
