/** Runs a step for each item, at most `limit` at a time, until the signal aborts. An iterator can be shared by several calls. */
export async function inParallel<T>(
  items: Iterable<T>,
  limit: number,
  signal: AbortSignal,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  const lane = async () => {
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) await run(next.value)
  }
  await Promise.all(Array.from({ length: limit }, lane))
}
