import type { Clock } from '#core/async/clock'

/** The contract's time limit of the room protocol: on connect, read and write, on both sides. */
export const FRAME_TIMEOUT_MS = 64_000

/** Calls `onSilence` once, `ms` after the last reset. Resets do not create timers. */
export function startWatchdog(clock: Clock, ms: number, onSilence: () => void) {
  let deadline = clock.now() + ms
  let cancel = clock.after(ms, check)

  function check() {
    const rest = deadline - clock.now()
    if (rest > 0) cancel = clock.after(rest, check)
    else onSilence()
  }

  return {
    /** Restarts the time. */
    reset(): void {
      deadline = clock.now() + ms
    },
    stop: (): void => cancel(),
  }
}
