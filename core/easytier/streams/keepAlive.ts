/** The liveness of one stream: pings, the other side's silence, and streams that are never used. */
export type KeepAlive = {
  /** A packet has come: it was answered or acknowledged, so the other side has heard from us, too. */
  received(now: number): void
  /** Data was written or has arrived: the stream is in use and never becomes idle. */
  used(): void
  /**
   * What is due. A ping counts as sent.
   * @param stuckSince since when nothing was acknowledged though something is outstanding
   */
  check(now: number, stuckSince: number | undefined): 'dead' | 'idle' | 'ping' | undefined
  /** When to check next. */
  deadline(stuckSince: number | undefined): number
}

export const PING_EVERY = 10_000
export const DEAD_AFTER = 60_000

/** @param idleLimit how long the stream may stay without data; Infinity for as long as it likes */
export function createKeepAlive(openedAt: number, idleLimit: number): KeepAlive {
  let receivedAt = openedAt
  let pingAt = openedAt + PING_EVERY
  let idleAt = openedAt + idleLimit

  return {
    received(now) {
      receivedAt = now
      pingAt = now + PING_EVERY
    },
    used() {
      idleAt = Number.POSITIVE_INFINITY
    },
    check(now, stuckSince = now) {
      if (now - Math.min(receivedAt, stuckSince) >= DEAD_AFTER) return 'dead'
      if (now >= idleAt) return 'idle'
      if (now < pingAt) return undefined
      pingAt = now + PING_EVERY
      return 'ping'
    },
    deadline: (stuckSince = Number.POSITIVE_INFINITY) =>
      Math.min(pingAt, receivedAt + DEAD_AFTER, stuckSince + DEAD_AFTER, idleAt),
  }
}
