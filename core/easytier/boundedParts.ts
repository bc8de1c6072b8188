export const MAX_AGE_MS = 10_000
/** The limit for all senders together; beyond it, the oldest is dropped. */
export const MAX_OPEN = 64
/** The limit for one sender, so that none displaces the others' entries. */
export const MAX_OPEN_PER_SENDER = 8

/**
 * Incomplete messages that wait for further parts: bounded in age and number, so that no sender can exhaust memory.
 * Times are milliseconds of a monotonic clock.
 */
export function createBoundedParts<T>() {
  const open = new Map<string, { readonly entry: T; readonly from: number; readonly since: number }>()

  return {
    get(key: string, now: number): T | undefined {
      for (const [each, { since }] of open) {
        if (now - since < MAX_AGE_MS) break
        open.delete(each)
      }
      return open.get(key)?.entry
    },
    /** @param from the sender. At a limit, the oldest entry (of this sender, then of all) is dropped. */
    start(key: string, from: number, entry: T, now: number): T {
      const ofSender = [...open].filter(([, incomplete]) => incomplete.from === from)
      const [oldest] = ofSender.length >= MAX_OPEN_PER_SENDER ? (ofSender[0] ?? []) : []
      if (oldest !== undefined) open.delete(oldest)
      const [first] = open.keys()
      if (open.size >= MAX_OPEN && first !== undefined) open.delete(first)
      open.set(key, { entry, from, since: now })
      return entry
    },
    delete: (key: string): void => void open.delete(key),
    get size(): number {
      return open.size
    },
  }
}
