import { abortReason } from '../errors'
import { onAbort } from './onAbort'

/**
 * The result of the work, unless the signal aborts first. The work itself is not stopped; its later rejection is handled.
 * @throws the signal's reason when it aborts first
 */
export function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => reject(abortReason(signal)))
    void work.then(resolve, reject).finally(unsubscribe)
  })
}

/** Resolves, and never rejects, when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, () => resolve())
  })
}
