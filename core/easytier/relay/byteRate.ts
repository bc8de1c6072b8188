import type { Clock } from '#core/clock'

export type ByteRate = {
  /** @returns whether so many bytes are within the rate now; only then are they counted */
  take(bytes: number): boolean
}

/** A bucket that fills with `perSecond` bytes a second and holds those of one second. */
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
