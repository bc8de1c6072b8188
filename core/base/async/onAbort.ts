const waiting = new WeakMap<AbortSignal, Waiting>()

type Waiting = { readonly acts: Set<() => void>; readonly removeListener: () => void }

/**
 * Calls `act` once when the signal aborts, at once when it has aborted already. A signal has one listener for all calls: a
 * network has more than ten parts that stop by one signal, and Node takes more than ten listeners for a leak.
 * @returns a function that unsubscribes
 * @example
 * const unsubscribe = onAbort(signal, () => socket.destroy())
 * socket.once('close', unsubscribe)
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act()
    return () => {}
  }
  const { acts, removeListener } = waiting.get(signal) ?? listen(signal)
  // A function may wait twice.
  const own = () => act()
  acts.add(own)
  return () => {
    // The last one takes the listener with it, which would keep a signal of `AbortSignal.any` in memory.
    if (acts.delete(own) && acts.size === 0) removeListener()
  }
}

function listen(signal: AbortSignal): Waiting {
  const acts = new Set<() => void>()
  const onAborted = () => callAll(acts)
  const removeListener = () => {
    signal.removeEventListener('abort', onAborted)
    waiting.delete(signal)
  }
  signal.addEventListener('abort', onAborted, { once: true })
  const listening = { acts, removeListener }
  waiting.set(signal, listening)
  return listening
}

/** An error of one does not keep the others from being called. @throws the first error */
function callAll(acts: ReadonlySet<() => void>): void {
  const errors: unknown[] = []
  for (const act of acts) {
    try {
      act()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

/**
 * The result of the work, unless the signal aborts first. The work itself is not stopped; its later rejection is handled.
 * @throws the signal's reason when it aborts first; what the work throws before
 * @example return await raceSignal(answered.promise, signal)
 */
export function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => reject(signal.reason))
    void work.then(resolve, reject).finally(unsubscribe)
  })
}

/**
 * Resolves, and never rejects, when the signal aborts.
 * @example const closed = untilAborted(signal).then(() => listener.close())
 */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, () => resolve())
  })
}

/**
 * Yields the items until the signal aborts.
 * @throws the signal's reason, before the next item is given; what the items throw
 * @example await folder.write('still', abortable(bytesOfParts(parts, source), signal))
 */
export async function* abortable<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted()
    yield item
  }
}
