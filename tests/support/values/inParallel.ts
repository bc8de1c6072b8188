/** Runs a step for each item, at most `limit` at a time, until the signal aborts. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items]
  const lane = async () => {
    for (let item = queue.shift(); item !== undefined && !signal.aborted; item = queue.shift())
      await run(item)
  }
  await Promise.all(Array.from({ length: limit }, lane))
}
