import type { Clock } from '../../core/room/ports'

export type FakeClock = Clock & {
  /**
   * Moves time on: runs every timer that becomes due, in order, each at its own time, and lets promises
   * settle before the first, after each and at the end. `advance(0)` only lets promises settle.
   */
  advance(ms: number): Promise<void>
  /** How many timers wait: 0 shows that nothing was left behind. */
  readonly timers: number
}

type Timer = { readonly at: number; readonly order: number; readonly act: () => void }

/** Time that stands still until it is moved. */
export function createFakeClock(unixTimeAtStart = Date.UTC(2026, 0, 1)): FakeClock {
  const waiting = new Set<Timer>()
  let time = 0
  let order = 0

  const next = (until: number): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of waiting) {
      if (timer.at > until) continue
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer
    }
    return first
  }

  return {
    now: () => time,
    unixTime: () => unixTimeAtStart + time,
    after(ms, act) {
      const timer = { at: time + Math.max(0, ms), order: order++, act }
      waiting.add(timer)
      return () => void waiting.delete(timer)
    },
    async advance(ms) {
      const until = time + ms
      await settle()
      for (let timer = next(until); timer; timer = next(until)) {
        waiting.delete(timer)
        time = timer.at
        timer.act()
        await settle()
      }
      time = until
    },
    get timers() {
      return waiting.size
    },
  }
}

/** Every promise that can settle without outside help has settled when this resolves. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
