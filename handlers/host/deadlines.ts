import { ServiceError } from '#core/errors'

/** How long before the function's time limit running work is aborted, so that there is time for an error response. */
const RESPONSE_MS = 1500
/** How long before the function's time limit a response that is still being sent is broken off, so that this is logged. */
const LOG_MS = 500

export type Deadlines = {
  /** Aborts when the time for work is over, or when the client has disconnected. */
  readonly work: AbortSignal
  /** Aborts when the time for sending the response is over, or when the client has disconnected. */
  readonly response: AbortSignal
  /** Aborts both. */
  clientLeft(): void
  /** Stops the timers. */
  clear(): void
}

/**
 * @param context of the invocation: it knows how much time is left
 */
export function createDeadlines(context: { getRemainingTimeInMillis?(): number }): Deadlines {
  const work = new AbortController()
  const response = new AbortController()
  const remainingMs = context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY
  const timers = Number.isFinite(remainingMs)
    ? [
        setTimeout(() => work.abort(outOfTime()), Math.max(0, remainingMs - RESPONSE_MS)),
        setTimeout(() => response.abort(outOfTime()), Math.max(LOG_MS, remainingMs - LOG_MS)),
      ]
    : []
  return {
    work: work.signal,
    response: response.signal,
    clientLeft() {
      const reason = new Error('The client has disconnected.')
      work.abort(reason)
      response.abort(reason)
    },
    clear() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

function outOfTime(): ServiceError {
  return new ServiceError('timeout', 'It took longer than this function may run. Send a shorter video.')
}
