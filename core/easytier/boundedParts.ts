export const MAX_AGE_MS = 10_000
/** Of all senders together. */
export const MAX_OPEN = 64

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
    /**
     * @param from the sender. At the limit the sender with the most entries loses its oldest: a member that writes made-up senders
     * displaces entries of these, not those of others.
     */
    start(key: string, from: number, entry: T, now: number): T {
      if (open.size >= MAX_OPEN) dropOne()
      open.set(key, { entry, from, since: now })
      return entry
    },
    delete: (key: string): void => void open.delete(key),
    get size(): number {
      return open.size
    },
  }

  function dropOne(): void {
    const senders = new Map<number, readonly string[]>()
    for (const [key, { from }] of open) senders.set(from, [...(senders.get(from) ?? []), key])
    const most = [...senders.values()].reduce((one, other) => (other.length > one.length ? other : one))
    if (most[0] !== undefined) open.delete(most[0])
  }
}
