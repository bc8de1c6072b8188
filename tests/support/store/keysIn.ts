import type { ObjectStore } from '@lantern-room/media/ports'

/** The keys of a store that begin with a prefix, sorted. */
export async function keysIn(store: Pick<ObjectStore, 'list'>, prefix = ''): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys.sort()
}
