import type { Clock } from '@lantern-room/base/async'

/** The clock of one machine, which may sleep and be set. */
export type MachineClock = Clock & {
  sleep(): void
  wake(): void
  /** Sets the time of day, as a time server does. */
  setTimeOfDay(byMs: number): void
}

type Timer = { readonly at: number; readonly act: () => void; cancel: () => void }

/** @param countsSleep whether `now` jumps over the sleep, as on some systems, or stood still, as on others */
export function createMachineClock(clock: Clock, countsSleep: boolean): MachineClock {
  const timers = new Set<Timer>()
  let asleepSince: number | undefined
  let notCounted = 0
  let timeOfDay = 0
  const now = () => (asleepSince ?? clock.now()) - notCounted

  return {
    now,
    unixTime: () => clock.unixTime() + timeOfDay,
    after(ms, act) {
      const timer: Timer = { at: now() + Math.max(0, ms), act, cancel: () => {} }
      timers.add(timer)
      arm(timer)
      return () => {
        timers.delete(timer)
        timer.cancel()
      }
    },
    sleep() {
      asleepSince ??= clock.now()
      for (const { cancel } of timers) cancel()
    },
    wake() {
      if (asleepSince === undefined) return
      if (!countsSleep) notCounted += clock.now() - asleepSince
      asleepSince = undefined
      for (const timer of timers) arm(timer)
    },
    setTimeOfDay(byMs) {
      timeOfDay += byMs
    },
  }

  function arm(timer: Timer): void {
    if (asleepSince !== undefined) return
    timer.cancel = clock.after(timer.at - now(), () => {
      timers.delete(timer)
      timer.act()
    })
  }
}
