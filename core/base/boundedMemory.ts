// Bounded memory: of the newest entries, or of those that are in use.

/** Puts an entry at the end of a map in the order of use. When there are more than `most`, the first one, which is the oldest, goes. */
export function setNewest<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, most: number): void {
  entries.delete(key)
  entries.set(key, value)
  removeOldest(entries, most)
}

/** Like `setNewest`, for a set. */
export function addNewest<Item>(items: Set<Item>, item: Item, most: number): void {
  items.delete(item)
  items.add(item)
  removeOldest(items, most)
}

/**
 * Computes something once for each object that is not changed any more, as long as the object is in use.
 * @returns the result of the first call for the same object
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
