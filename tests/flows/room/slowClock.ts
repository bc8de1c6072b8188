import type { Clock } from '@lantern-room/base/async'

/** How much slower its time passes once it is slow. */
const TIMES = 20

export type SlowClock = Clock & {
  /** From here on its time, and that of timers which already run, passes slowly. */
  slowDown(): void
  /** As fast as this machine's again. */
  speedUp(): void
}

type Timer = { readonly at: number; readonly act: () => void; stop: () => void }

/**
 * The time of this machine until it is slowed down. What then happens by messages takes almost none of its time even on a
 * machine that is far too busy, and what happens because a second has passed takes twenty.
 */
export function createSlowClock(): SlowClock {
  const timers = new Set<Timer>()
  let times = 1
  let since = { real: performance.now(), time: 0 }
  const now = () => since.time + (performance.now() - since.real) / times

  return {
    now,
    unixTime: () => Date.now(),
    after(ms, act) {
      if (ms <= 0) {
        const immediate = setImmediate(act)
        return () => clearImmediate(immediate)
      }
      const timer: Timer = { at: now() + ms, act, stop: () => {} }
      start(timer)
      return () => {
        timers.delete(timer)
        timer.stop()
      }
    },
    slowDown: () => pass(TIMES),
    speedUp: () => pass(1),
  }

  function pass(slower: number): void {
    since = { real: performance.now(), time: now() }
    times = slower
    for (const timer of timers) {
      timer.stop()
      start(timer)
    }
  }

  function start(timer: Timer): void {
    timers.add(timer)
    const run = () => {
      timers.delete(timer)
      timer.act()
    }
    const running = setTimeout(run, (timer.at - now()) * times).unref()
    timer.stop = () => clearTimeout(running)
  }
}
