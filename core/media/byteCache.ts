/** Values that take memory, each made once: thumbnails, covers, indexes of files. The most recently used ones are kept. */
export class ByteCache<Value> {
  readonly #maxBytes: number
  readonly #bytesOf: (value: Value) => number
  readonly #kept = new Map<string, Value>()
  readonly #making = new Map<string, Promise<Value>>()
  #bytes = 0

  /**
   * @param maxBytes limit for what all values take together
   * @param bytesOf the memory that a value takes
   */
  constructor(maxBytes: number, bytesOf: (value: Value) => number) {
    this.#maxBytes = maxBytes
    this.#bytesOf = bytesOf
  }

  /** The cached value, or the result of `make`. Concurrent calls for one key share one run of it; failures are not kept. */
  async get(key: string, make: () => Promise<Value>): Promise<Value> {
    const found = this.find(key)
    if (found !== undefined) return found
    const running = this.#making.get(key) ?? this.#makeOnce(key, make)
    this.#making.set(key, running)
    return running
  }

  /** The cached value, for callers that make and share values in their own way. */
  find(key: string): Value | undefined {
    const found = this.#kept.get(key)
    if (found === undefined) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found
  }

  keep(key: string, value: Value): void {
    const replaced = this.#kept.get(key)
    if (replaced !== undefined) this.#bytes -= this.#bytesOf(replaced)
    this.#kept.delete(key)
    this.#kept.set(key, value)
    this.#bytes += this.#bytesOf(value)
    // A map lists its keys in the order of insertion: the first is the least recently used.
    for (const [oldest, unused] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break
      this.#kept.delete(oldest)
      this.#bytes -= this.#bytesOf(unused)
    }
  }

  async #makeOnce(key: string, make: () => Promise<Value>): Promise<Value> {
    try {
      const value = await make()
      this.keep(key, value)
      return value
    } finally {
      this.#making.delete(key)
    }
  }
}
