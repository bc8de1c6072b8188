import type { Clock } from './clock'
import { onAbort } from './onAbort'

/**
 * Calls `act` at once, and then every `everyMs` milliseconds until the signal aborts or `end` is called. Never calls it when the
 * signal has aborted already.
 * @param act gets `end`; what it throws at the first call, this throws
 * @returns `end`
 * @example const stopAsking = repeat(clock, 300, signal, () => socket.send(ping.request()))
 */
export function repeat(
  clock: Pick<Clock, 'after'>,
  everyMs: number,
  signal: AbortSignal,
  act: (end: () => void) => void,
): () => void {
  let isOver = false
  let cancel = () => {}
  let unsubscribe = () => {}
  const end = () => {
    isOver = true
    cancel()
    unsubscribe()
  }
  const next = () => {
    cancel = clock.after(everyMs, next)
    act(end)
  }
  unsubscribe = onAbort(signal, end)
  if (!isOver) next()
  return end
}
