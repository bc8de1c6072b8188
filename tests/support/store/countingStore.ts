import type { ObjectStore } from '#core/media/ports'

/** A store that counts what is read from it. */
export function countingStore(store: ObjectStore) {
  const reads = { requests: 0, bytes: 0 }
  const counted: ObjectStore = {
    ...store,
    async head(key) {
      reads.requests += 1
      return store.head(key)
    },
    async get(key) {
      const bytes = await store.get(key)
      reads.requests += 1
      reads.bytes += bytes?.length ?? 0
      return bytes
    },
    async open(key, range) {
      const opened = await store.open(key, range)
      reads.requests += 1
      if (opened) reads.bytes += range ? range.end - range.start + 1 : opened.size
      return opened
    },
    async checkOut(key) {
      reads.requests += 1
      reads.bytes += (await store.head(key))?.size ?? 0
      return store.checkOut(key)
    },
  }
  return {
    store: counted,
    reads,
    reset() {
      reads.requests = 0
      reads.bytes = 0
    },
  }
}
