import type { Clock } from './clock'

/**
 * Limits how often something is done, and never forgets the last request for it.
 * @param wait in how many milliseconds a request may be fulfilled, beside `everyMs`; it is asked again then
 */
export function createThrottle(
  clock: Pick<Clock, 'now' | 'after'>,
  everyMs: number,
  work: () => void,
  wait: () => number = () => 0,
) {
  let nextAt = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined

  /** Acts now. A pending request is fulfilled by it. */
  function act(): void {
    cancel?.()
    cancel = undefined
    nextAt = clock.now() + everyMs
    work()
  }

  function actInTime(): void {
    cancel = undefined
    const waitMs = Math.max(nextAt - clock.now(), wait())
    if (waitMs <= 0) act()
    else cancel = clock.after(waitMs, actInTime)
  }

  return {
    act,
    cancel(): void {
      cancel?.()
      cancel = undefined
    },
    /** Acts at once when it last acted long enough ago, else as soon as that time is over; further requests until then are one. */
    request(): void {
      if (!cancel) actInTime()
    },
  }
}
