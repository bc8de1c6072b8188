import type { ObjectStore } from '@lantern-room/media/ports'

export type MemoryStore = ObjectStore & {
  readonly keys: () => readonly string[]
  /** How many checked-out files were not released. */
  readonly checkedOut: () => number
}

/** Objects in memory. A "local file" is only a path: `putFile` stores the path itself as the object's bytes. */
export function createMemoryStore(now: () => number = () => 0): MemoryStore {
  const objects = new Map<string, { readonly bytes: Uint8Array; readonly modifiedAt: Date }>()
  let checkedOut = 0
  const put = (key: string, bytes: Uint8Array) =>
    void objects.set(key, { bytes, modifiedAt: new Date(now()) })

  return {
    keys: () => [...objects.keys()].sort(),
    checkedOut: () => checkedOut,
    putFile: async (key, path) => put(key, new TextEncoder().encode(path)),
    putBytes: async (key, bytes) => put(key, bytes),
    async createBytes(key, bytes) {
      if (objects.has(key)) return false
      put(key, bytes)
      return true
    },
    get: async (key) => objects.get(key)?.bytes,
    async open(key, range) {
      const bytes = objects.get(key)?.bytes
      if (!bytes) return undefined
      const part = range ? bytes.subarray(range.start, range.end + 1) : bytes
      return { size: bytes.length, body: new Blob([new Uint8Array(part)]).stream() }
    },
    async head(key) {
      const found = objects.get(key)
      return found && { size: found.bytes.length, modifiedAt: found.modifiedAt }
    },
    async *list(prefix, after = '') {
      for (const [key, { bytes, modifiedAt }] of [...objects].sort(([a], [b]) => (a < b ? -1 : 1)))
        if (key.startsWith(prefix) && key > after) yield { key, size: bytes.length, modifiedAt }
    },
    async delete(keys) {
      for (const key of keys) objects.delete(key)
    },
    async copy(from, to) {
      const found = objects.get(from)
      if (found) put(to, found.bytes)
      return found !== undefined
    },
    async checkOut(key) {
      if (!objects.has(key)) return undefined
      checkedOut += 1
      return {
        path: `/local/${key}`,
        release: async () => {
          checkedOut -= 1
        },
      }
    },
    check: async () => undefined,
  }
}
