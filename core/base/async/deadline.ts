import type { Clock } from './clock'
import { raceSignal } from './onAbort'

/**
 * Runs work that is cancelled after a time.
 * @param ms milliseconds
 * @param signal undefined where only the time ends the work
 * @param work gets a signal that aborts with `lateError()` after `ms`, or with the reason of `signal` when that aborts first;
 *   it has to stop by it
 * @throws what `work` throws
 * @example
 * const late = () => new Error('no connection in 5 s')
 * const socket = await withDeadline(clock, 5000, signal, late, (limited) => connectTcp(to, { signal: limited }))
 */
export async function withDeadline<T>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  signal: AbortSignal | undefined,
  lateError: () => unknown,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const cancel = clock.after(ms, () => deadline.abort(lateError()))
  try {
    return await work(signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal)
  } finally {
    cancel()
  }
}

/**
 * The result of work that cannot be cancelled, if it comes within `ms` milliseconds. Otherwise the work goes on, and its result or
 * rejection is discarded.
 * @param signal ends the wait, too. @default none
 * @throws `lateError()` after `ms`; the reason of `signal` when that aborts first; what `work` throws before
 * @example await within(clock, 5000, lookup(host), () => new Error('no answer from the name server'), signal)
 */
export function within<T>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: Promise<T>,
  lateError: () => unknown,
  signal?: AbortSignal,
): Promise<T> {
  return withDeadline(clock, ms, signal, lateError, (late) => raceSignal(work, late))
}
