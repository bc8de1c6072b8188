import type { ObjectStore } from '@lantern-room/media/ports'

/** A store that counts what is read from it. */
export function countingStore(store: ObjectStore) {
  const reads = { requests: 0, bytes: 0 }
  const byKey = new Map<string, number>()
  const count = (key: string, bytes: number) => {
    reads.requests += 1
    reads.bytes += bytes
    byKey.set(key, (byKey.get(key) ?? 0) + bytes)
  }
  const counted: ObjectStore = {
    ...store,
    async head(key) {
      count(key, 0)
      return store.head(key)
    },
    async get(key) {
      const bytes = await store.get(key)
      count(key, bytes?.length ?? 0)
      return bytes
    },
    async open(key, range) {
      const opened = await store.open(key, range)
      count(key, range ? range.end - range.start + 1 : (opened?.size ?? 0))
      return opened
    },
    async checkOut(key) {
      count(key, (await store.head(key))?.size ?? 0)
      return store.checkOut(key)
    },
  }
  return {
    store: counted,
    reads,
    /** Bytes that were read of one object; a file that is checked out counts as a whole. */
    bytesOf: (key: string) => byKey.get(key) ?? 0,
    reset() {
      byKey.clear()
      reads.requests = 0
      reads.bytes = 0
    },
  }
}
