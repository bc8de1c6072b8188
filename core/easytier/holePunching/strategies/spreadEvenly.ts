import type { Clock } from '#core/async/clock'
import { createDeferred } from '#core/async/deferred'
import { raceSignal } from '#core/async/onAbort'
import { repeat } from '#core/async/repeat'

/** Each step does as many as are due by then. */
const STEP_MS = 10

/**
 * Calls `act` `count` times, spread evenly over `spanMs`. Resolves after the last call.
 * @param act gets the number of the call, from 0
 * @throws the signal's reason when it aborts first
 */
export async function spreadEvenly(
  clock: Clock,
  { count, spanMs }: { readonly count: number; readonly spanMs: number },
  signal: AbortSignal,
  act: (at: number) => void,
): Promise<void> {
  const startedAt = clock.now()
  const finished = createDeferred()
  let done = 0
  repeat(clock, STEP_MS, signal, (end) => {
    const due = Math.min(count, Math.ceil(((clock.now() - startedAt + STEP_MS) / spanMs) * count))
    for (; done < due; done += 1) act(done)
    if (done < count) return
    end()
    finished.resolve()
  })
  await raceSignal(finished.promise, signal)
}
