import type { Clock } from './clock'

/** Drives a state machine that has no timers of its own: calls `tick` at the earliest deadline that it names. */
export type DeadlineDriver = {
  /** To be called whenever the machine's next deadline may have become earlier. */
  update(): void
  stop(): void
}

/** @param machine `nextDeadline` is in the clock's time, `Infinity` when there is none */
export function createDeadlineDriver(
  clock: Clock,
  machine: () => { tick(now: number): void; nextDeadline(): number },
): DeadlineDriver {
  let isStopped = false
  let due = Number.POSITIVE_INFINITY
  let cancel = () => {}

  return {
    update,
    stop() {
      isStopped = true
      cancel()
    },
  }

  function update(): void {
    // Due at once already: with many streams even asking for the next deadline is expensive.
    if (isStopped || due <= 0) return
    const at = machine().nextDeadline()
    if (at >= due || at === Number.POSITIVE_INFINITY) return
    cancel()
    due = at
    cancel = clock.after(Math.max(0, at - clock.now()), () => {
      due = Number.POSITIVE_INFINITY
      machine().tick(clock.now())
      update()
    })
  }
}
