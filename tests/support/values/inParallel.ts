/**
 * Runs a step for each item, at most `limit` at a time, until the signal aborts.
 * @param oneByOne items that never run beside each other: the first lane takes them before the others
 */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  run: (item: T) => Promise<void>,
  oneByOne: readonly T[] = [],
): Promise<void> {
  const work = async (queue: T[]) => {
    for (let item = queue.shift(); item !== undefined && !signal.aborted; item = queue.shift())
      await run(item)
  }
  const queue = [...items]
  const lane = async (_: unknown, index: number) => {
    if (index === 0) await work([...oneByOne])
    await work(queue)
  }
  await Promise.all(Array.from({ length: limit }, lane))
}
