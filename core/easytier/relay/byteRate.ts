import type { Clock } from '#core/async/clock'

export type ByteRate = ReturnType<typeof createByteRate>

/** A token bucket that fills with `perSecond` bytes a second and holds at most one second's worth. */
export function createByteRate(perSecond: number, clock: Clock) {
  let tokens = perSecond
  let filledAt = clock.now()
  return {
    has,
    /** @returns whether so many bytes are within the rate now; bytes over it are not counted */
    take(bytes: number): boolean {
      if (!has(bytes)) return false
      tokens -= bytes
      return true
    },
  }

  /** Whether so many bytes are within the rate now. */
  function has(bytes: number): boolean {
    const now = clock.now()
    tokens = Math.min(perSecond, tokens + ((now - filledAt) / 1000) * perSecond)
    filledAt = now
    return tokens >= bytes
  }
}

/** Takes the bytes from each rate, or from none when one of them does not have them. */
export function takeFromAll(rates: readonly ByteRate[], bytes: number): boolean {
  if (!rates.every((rate) => rate.has(bytes))) return false
  for (const rate of rates) rate.take(bytes)
  return true
}
