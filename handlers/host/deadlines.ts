import { abortReason, ServiceError } from '#core/errors'

/** What is left of a function's time when running work is ended, so that an answer can still be made. */
const ANSWER_MS = 1500
/** What is left when an answer that is still being sent is broken off, so that this can still be told. */
const LAST_MS = 500

export type Ending = {
  /** Aborts when the time for work is over, or when whoever waits for the answer is gone. */
  readonly working: AbortSignal
  /** Aborts when the time for the answer is over, too. */
  readonly sending: AbortSignal
  leave(): void
  clear(): void
}

/** @param context of the invocation: it knows how much time is left */
export function createEnding(context: { getRemainingTimeInMillis?(): number }): Ending {
  const working = new AbortController()
  const sending = new AbortController()
  const remainingMs = context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY
  const timers = Number.isFinite(remainingMs)
    ? [
        setTimeout(() => working.abort(outOfTime()), Math.max(0, remainingMs - ANSWER_MS)),
        setTimeout(() => sending.abort(outOfTime()), Math.max(LAST_MS, remainingMs - LAST_MS)),
      ]
    : []
  return {
    working: working.signal,
    sending: sending.signal,
    leave() {
      const reason = new Error('Whoever waited for the answer is gone.')
      working.abort(reason)
      sending.abort(reason)
    },
    clear: () => {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** Waits no longer than until the signal aborts. @throws the signal's reason */
export async function orAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    result.catch(() => undefined)
    throw abortReason(signal)
  }
  let stopWaiting = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const leave = () => reject(abortReason(signal))
    signal.addEventListener('abort', leave, { once: true })
    stopWaiting = () => signal.removeEventListener('abort', leave)
  })
  try {
    return await Promise.race([result, aborted])
  } finally {
    stopWaiting()
  }
}

function outOfTime(): ServiceError {
  return new ServiceError('timeout', 'It took longer than this function may run. Send a shorter video.')
}
