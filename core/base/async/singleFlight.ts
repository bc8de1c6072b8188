import { createDeferred } from './deferred'
import { onAbort } from './onAbort'

type Flight<T> = { readonly result: Promise<T>; readonly abandoned: AbortController; callers: number }

/** What `createSingleFlight` returns. */
export type SingleFlight<T> = ReturnType<typeof createSingleFlight<T>>

/**
 * Work that concurrent callers of one key share.
 * Results are not kept: a call after the end begins anew.
 * @example
 * const reads = createSingleFlight<Uint8Array>()
 * const bytes = await reads.run(session.id, signal, (abandoned) => readPreview(session, abandoned))
 */
export function createSingleFlight<T>() {
  const flights = new Map<string, Flight<T>>()

  function begin(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const abandoned = new AbortController()
    const flight: Flight<T> = { result: work(abandoned.signal), abandoned, callers: 0 }
    flights.set(key, flight)
    const end = () => forget(flights, key, flight)
    flight.result.then(end, end)
    return flight
  }

  return {
    /**
     * Joins the work of this key, or begins it.
     * @param signal ends this caller's wait; the others go on waiting. The last one to leave waits until the work has stopped
     * @param work gets a signal that aborts once every caller has left, with the reason of the last
     * @throws what the work throws; the signal's reason when it aborts first
     */
    async run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      signal.throwIfAborted()
      const flight = flights.get(key) ?? begin(key, work)
      flight.callers += 1
      const left = createDeferred<never>()
      const unsubscribe = onAbort(signal, () => {
        flight.callers -= 1
        if (flight.callers > 0) return left.reject(signal.reason)
        // Work that is being cancelled has no result for a caller that comes now.
        forget(flights, key, flight)
        flight.abandoned.abort(signal.reason)
      })
      try {
        return await Promise.race([flight.result, left.promise])
      } finally {
        unsubscribe()
      }
    },
  }
}

/** Unless another work of this key has begun meanwhile. */
function forget<T>(flights: Map<string, Flight<T>>, key: string, flight: Flight<T>): void {
  if (flights.get(key) === flight) flights.delete(key)
}
