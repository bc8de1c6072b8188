export type BoundedPartsLimits = {
  readonly maxAgeMs: number
  /** The limit for all senders together; beyond it, the oldest is dropped. */
  readonly maxOpen: number
  /** The limit for one sender, so that none displaces the others' entries. */
  readonly maxOpenPerSender: number
}

/**
 * Incomplete messages that wait for further parts: bounded in age and number, so that no sender can exhaust memory.
 * Times are milliseconds of a monotonic clock.
 */
export function createBoundedParts<T>(limits: BoundedPartsLimits) {
  const open = new Map<string, { readonly entry: T; readonly from: number; readonly since: number }>()

  return {
    get: (key: string): T | undefined => open.get(key)?.entry,
    /** @param from the sender. At a limit, the oldest entry (of this sender, then of all) is dropped. */
    start(key: string, from: number, entry: T, now: number): T {
      const ofSender = [...open].filter(([, incomplete]) => incomplete.from === from)
      const [oldest] = ofSender.length >= limits.maxOpenPerSender ? (ofSender[0] ?? []) : []
      if (oldest !== undefined) open.delete(oldest)
      const [first] = open.keys()
      if (open.size >= limits.maxOpen && first !== undefined) open.delete(first)
      open.set(key, { entry, from, since: now })
      return entry
    },
    delete: (key: string): void => void open.delete(key),
    expire(now: number): void {
      for (const [key, { since }] of open) {
        if (now - since < limits.maxAgeMs) return
        open.delete(key)
      }
    },
    get size(): number {
      return open.size
    },
  }
}
