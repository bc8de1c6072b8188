import type { Clock } from '../clock'

/** Calls a machine without timers when it has something to do. */
export type DeadlineDriver = {
  /** The machine's deadline may be an earlier one now. */
  look(): void
  stop(): void
}

/** One timer, at the earliest deadline. What comes in one go is answered in one go. */
export function createDeadlineDriver(
  clock: Clock,
  machine: () => { tick(now: number): void; nextDeadline(): number },
): DeadlineDriver {
  let isStopped = false
  let due = Number.POSITIVE_INFINITY
  let cancel = () => {}

  return {
    look,
    stop() {
      isStopped = true
      cancel()
    },
  }

  function look(): void {
    // As soon as possible already: with many streams the question alone costs something.
    if (isStopped || due <= 0) return
    const at = machine().nextDeadline()
    if (at >= due || at === Number.POSITIVE_INFINITY) return
    cancel()
    due = at
    cancel = clock.after(Math.max(0, at - clock.now()), () => {
      due = Number.POSITIVE_INFINITY
      machine().tick(clock.now())
      look()
    })
  }
}
