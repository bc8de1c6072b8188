import { onAbort } from './onAbort'

/** The time as a dependency, so that tests can control it. */
export type Clock = {
  /** Monotonic time in milliseconds. */
  now(): number
  /** Unix time in milliseconds. */
  unixTime(): number
  /** @returns a function that cancels. Never keeps the process alive by itself. */
  after(ms: number, act: () => void): () => void
}

/** What `createAlarm` returns. */
export type Alarm = ReturnType<typeof createAlarm>

/**
 * A sleep that can be cut short. A wake-up while nothing sleeps ends the next sleep at once. One sleep at a time.
 * @example
 * const alarm = createAlarm(clock)
 * const unsubscribe = changes.subscribe(alarm.wake)
 * while (!isReady()) await alarm.wait(1000, signal)
 */
export function createAlarm(clock: Clock) {
  let isPending = false
  let endSleep = () => {}

  return {
    /** Ends the sleep, or the next one when nothing sleeps. */
    wake(): void {
      isPending = true
      endSleep()
    },
    /** Resolves after `ms` milliseconds, or when woken. @throws the signal's reason when it aborts first */
    async wait(ms: number, signal: AbortSignal): Promise<void> {
      if (!isPending && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(ms, () => endSleep())
          const unsubscribe = onAbort(signal, () => endSleep())
          endSleep = () => {
            cancel()
            unsubscribe()
            resolve()
          }
        })
      }
      isPending = false
      signal.throwIfAborted()
    },
  }
}

/**
 * Resolves after `ms` milliseconds.
 * @throws the signal's reason when it aborts first
 * @example await sleep(clock, 500, signal)
 */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return createAlarm(clock).wait(ms, signal)
}
