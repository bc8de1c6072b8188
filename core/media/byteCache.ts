/** Values that take memory, each made once: thumbnails, covers, indexes of files. */
export type ByteCache<Value> = {
  /** The cached value, or the result of `make`. Concurrent calls for one key share one run of it; failures are not kept. */
  get(key: string, make: () => Promise<Value>): Promise<Value>
  /** The cached value, for callers that make and share values in their own way. */
  find(key: string): Value | undefined
  keep(key: string, value: Value): void
}

/**
 * Keeps the most recently used values, bounded by the memory that they take together.
 * @param bytesOf the memory that a value takes
 */
export function createByteCache<Value>(
  maxBytes: number,
  bytesOf: (value: Value) => number,
): ByteCache<Value> {
  const kept = new Map<string, Value>()
  const making = new Map<string, Promise<Value>>()
  let bytes = 0

  function keep(key: string, value: Value): void {
    const replaced = kept.get(key)
    if (replaced !== undefined) bytes -= bytesOf(replaced)
    kept.delete(key)
    kept.set(key, value)
    bytes += bytesOf(value)
    // A map lists its keys in the order of insertion: the first is the least recently used.
    for (const [oldest, unused] of kept) {
      if (bytes <= maxBytes) break
      kept.delete(oldest)
      bytes -= bytesOf(unused)
    }
  }

  async function makeOnce(key: string, make: () => Promise<Value>): Promise<Value> {
    try {
      const value = await make()
      keep(key, value)
      return value
    } finally {
      making.delete(key)
    }
  }

  function find(key: string): Value | undefined {
    const found = kept.get(key)
    if (found === undefined) return undefined
    kept.delete(key)
    kept.set(key, found)
    return found
  }

  return {
    find,
    keep,

    async get(key, make) {
      const found = find(key)
      if (found !== undefined) return found
      const running = making.get(key) ?? makeOnce(key, make)
      making.set(key, running)
      return running
    },
  }
}
