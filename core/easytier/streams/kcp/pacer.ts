import { FIRST_LIMIT } from './pathEstimate'

/** Keeps bursts short, so that they do not overflow a short queue on the path. */
export type Pacer = {
  /** @param rate segments that may leave in a millisecond; Infinity while the path is unknown */
  refill(now: number, rate: number): void
  /** Counts a segment, when one may leave now. @returns whether it may */
  take(): boolean
  /** When the next segment may leave; Infinity while one may leave at once. */
  nextDeadline(): number
}

const MIN_BURST = 32
const BURST_MS = 4

export function createPacer(): Pacer {
  /** Segments that may leave, and when that was computed. */
  let allowance = FIRST_LIMIT
  let filledAt = 0

  return {
    refill(now, rate) {
      if (rate === Number.POSITIVE_INFINITY) allowance = FIRST_LIMIT
      else allowance = Math.min(Math.max(MIN_BURST, rate * BURST_MS), allowance + rate * (now - filledAt))
      filledAt = now
    },
    take() {
      if (allowance < 1) return false
      allowance -= 1
      return true
    },
    nextDeadline: () => (allowance < 1 ? filledAt + 1 : Number.POSITIVE_INFINITY),
  }
}
