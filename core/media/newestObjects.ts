import type { ObjectStore } from './ports'

/**
 * Groups the objects below a prefix by the session or upload that they belong to.
 * @param idOf the id in a key; objects with an undefined id are ignored
 * @returns per id, when its newest object was stored: Unix time in milliseconds
 */
export async function newestObjects(
  store: Pick<ObjectStore, 'list'>,
  prefix: string,
  idOf: (key: string) => string | undefined,
): Promise<ReadonlyMap<string, number>> {
  const newest = new Map<string, number>()
  for await (const { key, modifiedAt } of store.list(prefix)) {
    const id = idOf(key)
    if (id !== undefined) newest.set(id, Math.max(newest.get(id) ?? 0, modifiedAt.getTime()))
  }
  return newest
}
