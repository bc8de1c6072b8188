import type { Clock } from '../clock'
import { abortReason } from '../errors'

/** Resolves after so many milliseconds. @throws the signal's reason when it aborts first */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return createAlarm(clock).wait(ms, signal)
}

/** A sleeper who can be woken. A ring while nobody sleeps ends the next sleep at once. One sleeper at a time. */
export type Alarm = {
  wake(): void
  /** @throws the signal's reason when it aborts first */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export function createAlarm(clock: Clock): Alarm {
  let hasRung = false
  let wake = () => {}

  return {
    wake() {
      hasRung = true
      wake()
    },
    async wait(ms, signal) {
      if (!hasRung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(ms, resolve)
          wake = () => {
            cancel()
            resolve()
          }
          signal.addEventListener('abort', wake, { once: true })
        })
        signal.removeEventListener('abort', wake)
      }
      hasRung = false
      if (signal.aborted) throw abortReason(signal)
    },
  }
}

/**
 * What the work gives, or a failure when it takes too long; the work's own end is then nobody's concern.
 * @param failure makes the error to throw
 */
export async function within<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
  failure: () => unknown,
): Promise<T> {
  let cancel = () => {}
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(failure()))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    cancel()
  }
}
