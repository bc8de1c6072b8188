/**
 * Calls `act` once when the signal aborts, at once when it has aborted already.
 * @returns a function that unsubscribes
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act()
    return () => {}
  }
  signal.addEventListener('abort', act, { once: true })
  return () => signal.removeEventListener('abort', act)
}
