import type { Clock } from '#core/clock'
import { abortReason } from '#core/errors'

/** Work that is told to stop after so long, and stops by the signal. @throws what the work throws */
export async function limited<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw abortReason(signal)
  const limit = new AbortController()
  const cancel = clock.after(ms, () => limit.abort(new Error(`no answer in ${ms / 1000} s`)))
  try {
    return await work(AbortSignal.any([signal, limit.signal]))
  } finally {
    cancel()
  }
}

/** Acts again and again, at once at first, until the signal or `end` (also the returned one) ends it. */
export function repeat(
  clock: Clock,
  everyMs: number,
  signal: AbortSignal,
  act: (end: () => void) => void,
): () => void {
  let isOver = signal.aborted
  let cancel = () => {}
  const end = () => {
    isOver = true
    cancel()
    signal.removeEventListener('abort', end)
  }
  const next = () => {
    if (isOver) return
    cancel = clock.after(everyMs, next)
    act(end)
  }
  signal.addEventListener('abort', end, { once: true })
  next()
  return end
}

/** How often a run of datagrams goes on: so many at a time are due as the rate says. */
const PACE_MS = 10

/**
 * Does something `count` times, spread evenly over a time. Resolves after the last.
 * @throws the signal's reason when it aborts first
 */
export function paced(
  clock: Clock,
  { count, spanMs }: { readonly count: number; readonly spanMs: number },
  signal: AbortSignal,
  act: (at: number) => void,
): Promise<void> {
  const startedAt = clock.now()
  let done = 0
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal))
    const onAbort = () => reject(abortReason(signal))
    signal.addEventListener('abort', onAbort, { once: true })
    repeat(clock, PACE_MS, signal, (end) => {
      const due = Math.min(count, Math.ceil(((clock.now() - startedAt + PACE_MS) / spanMs) * count))
      for (; done < due; done += 1) act(done)
      if (done < count) return
      end()
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
  })
}
