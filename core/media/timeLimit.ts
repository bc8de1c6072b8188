import { tooSlow } from '../errors'

/**
 * Runs work that must be done within a time, however many programs it starts one after another.
 * @param work gets a signal that aborts when the time is over or when `signal` aborts
 * @throws ServiceError `timeout`; what `work` throws
 */
export async function withTimeLimit<T>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(tooSlow()), milliseconds)
  try {
    return await work(AbortSignal.any([signal, limit.signal]))
  } finally {
    clearTimeout(timer)
  }
}
