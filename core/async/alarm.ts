import type { Clock } from '../clock'
import { abortReason } from '../errors'
import { onAbort } from './onAbort'

/** A sleep that can be cut short. A wake-up while nothing sleeps ends the next sleep at once. One sleep at a time. */
export type Alarm = {
  wake(): void
  /** Resolves after `ms`, or when woken. @throws the signal's reason when it aborts first */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export function createAlarm(clock: Clock): Alarm {
  let isPending = false
  let endSleep = () => {}

  return {
    wake() {
      isPending = true
      endSleep()
    },
    async wait(ms, signal) {
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
      if (signal.aborted) throw abortReason(signal)
    },
  }
}

/** Resolves after `ms`. @throws the signal's reason when it aborts first */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return createAlarm(clock).wait(ms, signal)
}
