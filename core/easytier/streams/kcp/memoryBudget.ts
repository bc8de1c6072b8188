/** Limits the received bytes that all streams together hold until they are read. */
export type MemoryBudget = {
  take(bytes: number): void
  release(bytes: number): void
  isSpent(): boolean
  readonly held: number
}

export function createMemoryBudget(limit: number): MemoryBudget {
  let held = 0
  return {
    take(bytes) {
      held += bytes
    },
    release(bytes) {
      held -= bytes
    },
    isSpent: () => held >= limit,
    get held() {
      return held
    },
  }
}

/** Memory that waiting segments take: their bytes, and an estimate of the bookkeeping for each. */
export function costOf(segments: number, bytes: number): number {
  return bytes + segments * 128
}
