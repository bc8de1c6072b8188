import type { Clock } from '../clock'

/** Limits how often something is done, and never forgets the last request for it. */
export type Throttle = {
  /** Acts at once when it last acted long enough ago, else as soon as that time is over; further requests until then are one. */
  request(): void
  /** Acts now. A pending request is fulfilled by it. */
  act(): void
  /** Forgets a pending request. */
  cancel(): void
}

export function createThrottle(
  clock: Pick<Clock, 'now' | 'after'>,
  everyMs: number,
  work: () => void,
): Throttle {
  let nextAt = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined

  function act(): void {
    cancel?.()
    cancel = undefined
    nextAt = clock.now() + everyMs
    work()
  }

  return {
    act,
    cancel() {
      cancel?.()
      cancel = undefined
    },
    request() {
      if (cancel) return
      const waitMs = nextAt - clock.now()
      if (waitMs <= 0) act()
      else cancel = clock.after(waitMs, act)
    },
  }
}
