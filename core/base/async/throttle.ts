import type { Clock } from './clock'

/**
 * Limits how often something is done, and never forgets the last request for it.
 * @param everyMs milliseconds between two times
 * @param wait in how many milliseconds a request may be fulfilled, beside `everyMs`; it is asked again then. @default at once
 * @example
 * const news = createThrottle(clock, 1000, () => feed.publish({ type: 'worlds', ...games.servers() }))
 * onAbort(stopping, news.cancel)
 * news.request() // at each change; the feed gets one message a second at most
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
    /** Forgets a pending request. */
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
