// Bounded memory: of the newest entries, or of those that are in use.

/**
 * Puts an entry at the end of a map in the order of use. When there are more than `most`, the first one, which is the oldest, goes.
 * @param most entries, at least 1
 * @example setNewest(spentUntil, address, clock.now() + 500, 4096)
 */
export function setNewest<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, most: number): void {
  entries.delete(key)
  entries.set(key, value)
  removeOldest(entries, most)
}

/**
 * Like `setNewest`, for a set: an item that is there already becomes the newest.
 * @param most items, at least 1
 * @example addNewest(denied, machineId, 512)
 */
export function addNewest<Item>(items: Set<Item>, item: Item, most: number): void {
  items.delete(item)
  items.add(item)
  removeOldest(items, most)
}

/**
 * Computes something once for each object that is not changed any more, as long as the object is in use.
 * @returns a function that gives the result of the first call for the same object
 * @example const namesOf = oncePer((rows: readonly Row[]) => new Set(rows.map(({ name }) => name)))
 */
export function oncePer<Input extends object, Result extends object>(
  compute: (input: Input) => Result,
): (input: Input) => Result {
  const results = new WeakMap<Input, Result>()
  return (input) => {
    const known = results.get(input)
    if (known) return known
    const result = compute(input)
    results.set(input, result)
    return result
  }
}

function removeOldest<Key>(
  entries: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): boolean },
  most: number,
): void {
  const [oldest] = entries.keys()
  if (entries.size > most && oldest !== undefined) entries.delete(oldest)
}
