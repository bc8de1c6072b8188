/** What waits for its other parts, in the order of the first ones: bounded in age and number, so that no sender fills it. */
export type ExpiringParts<T> = {
  get(key: string): T | undefined
  /** @param from the sender, which has places of its own to fill; where one is needed, the oldest is given up */
  start(key: string, from: number, entry: T, now: number): T
  delete(key: string): void
  /** Forgets what is too old. */
  expire(now: number): void
  readonly size: number
}

export type ExpiringPartsLimits = {
  readonly maxAgeMs: number
  /** Of all senders together. */
  readonly maxOpen: number
  /** Of one sender, so that none takes the place of the others. */
  readonly maxOpenPerSender: number
}

/** Times are milliseconds that never jump back. */
export function createExpiringParts<T>(limits: ExpiringPartsLimits): ExpiringParts<T> {
  const open = new Map<string, { readonly entry: T; readonly from: number; readonly since: number }>()

  return {
    get: (key) => open.get(key)?.entry,
    start(key, from, entry, now) {
      const ofSender = [...open].filter(([, waiting]) => waiting.from === from)
      const [oldest] = ofSender.length >= limits.maxOpenPerSender ? (ofSender[0] ?? []) : []
      if (oldest !== undefined) open.delete(oldest)
      const [first] = open.keys()
      if (open.size >= limits.maxOpen && first !== undefined) open.delete(first)
      open.set(key, { entry, from, since: now })
      return entry
    },
    delete: (key) => void open.delete(key),
    expire(now) {
      for (const [key, { since }] of open) {
        if (now - since < limits.maxAgeMs) return
        open.delete(key)
      }
    },
    get size() {
      return open.size
    },
  }
}
