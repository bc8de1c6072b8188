import type { Clock } from './clock'
import { raceSignal } from './onAbort'

/**
 * Runs work that is cancelled after a time.
 * @param work gets a signal that aborts with `lateError()` after `ms`, or with the reason of `signal` when that aborts first;
 *   it has to stop by it
 * @throws what `work` throws
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
 * The result of work that cannot be cancelled, if it comes within `ms`. Otherwise the work goes on, and its result or
 * rejection is discarded.
 * @throws `lateError()` after `ms`; the reason of `signal` when that aborts first; what `work` throws before
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
