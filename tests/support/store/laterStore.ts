import type { ObjectStore } from '@lantern-room/media/ports'

/**
 * A store whose clock has moved on: what is written through it has been stored so much later than the machine says.
 * @param laterMs asked at each write
 */
export function laterStore(store: ObjectStore, laterMs: () => number): ObjectStore {
  const shifts = new Map<string, number>()
  const written = <T>(key: string, result: T): T => {
    shifts.set(key, laterMs())
    return result
  }
  const shifted = <T extends { readonly modifiedAt: Date }>(key: string, head: T): T => ({
    ...head,
    modifiedAt: new Date(head.modifiedAt.getTime() + (shifts.get(key) ?? 0)),
  })
  return {
    ...store,
    putFile: async (key, ...rest) => written(key, await store.putFile(key, ...rest)),
    putBytes: async (key, ...rest) => written(key, await store.putBytes(key, ...rest)),
    async createBytes(key, ...rest) {
      const isCreated = await store.createBytes(key, ...rest)
      return isCreated ? written(key, true) : false
    },
    copy: async (from, to, options) => written(to, await store.copy(from, to, options)),
    async head(key) {
      const head = await store.head(key)
      return head && shifted(key, head)
    },
    async *list(prefix, after) {
      for await (const found of store.list(prefix, after)) yield shifted(found.key, found)
    },
  }
}
