/** What all streams together may hold of received bytes that nobody has read yet. */
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

/** What segments cost that wait: their bytes, and what is needed to remember each. */
export function costOf(segments: number, bytes: number): number {
  return bytes + segments * 128
}
