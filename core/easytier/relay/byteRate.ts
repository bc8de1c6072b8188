import type { Clock } from '#core/clock'

export type ByteRate = {
  /** @returns whether so many bytes are within the rate now; bytes over it are not counted */
  take(bytes: number): boolean
}

/** A token bucket that fills with `perSecond` bytes a second and holds at most one second's worth. */
export function createByteRate(perSecond: number, clock: Clock): ByteRate {
  let tokens = perSecond
  let filledAt = clock.now()
  return {
    take(bytes) {
      const now = clock.now()
      tokens = Math.min(perSecond, tokens + ((now - filledAt) / 1000) * perSecond)
      filledAt = now
      if (tokens < bytes) return false
      tokens -= bytes
      return true
    },
  }
}
