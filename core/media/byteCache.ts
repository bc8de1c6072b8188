import { createSingleFlight } from '@lantern-room/base/async'

/**
 * Values that take memory, each made once: thumbnails, covers, indexes of files. The most recently used ones are kept.
 * @param maxBytes limit for what all values take together
 * @param bytesOf the memory that a value takes
 */
export function createByteCache<Value>(maxBytes: number, bytesOf: (value: Value) => number) {
  const kept = new Map<string, Value>()
  const flights = createSingleFlight<Value>()
  let bytes = 0

  function keep(key: string, value: Value): Value {
    remove(key)
    kept.set(key, value)
    bytes += bytesOf(value)
    // A map lists its keys in the order of insertion: the first is the least recently used.
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes) break
      remove(oldest)
    }
    return value
  }

  function remove(key: string): void {
    const value = kept.get(key)
    if (value === undefined) return
    kept.delete(key)
    bytes -= bytesOf(value)
  }

  return {
    /**
     * The cached value, or the result of `make`. Concurrent calls for one key share one run of it; failures are not kept.
     * @param signal ends the wait; `make` ends with the last one that waits for it. @default nothing ends it
     */
    async get(
      key: string,
      make: (signal: AbortSignal) => Promise<Value>,
      signal = new AbortController().signal,
    ): Promise<Value> {
      const found = kept.get(key)
      if (found !== undefined) return keep(key, found)
      return flights.run(key, signal, async (shared) => keep(key, await make(shared)))
    },
  }
}
