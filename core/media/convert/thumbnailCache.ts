export type ThumbnailCache = {
  /** The cached bytes, or the result of `make`. Concurrent calls for one key share one run of it. */
  get(key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array>
}

/**
 * Keeps the most recently used thumbnails, bounded by their total size: a page requests many in a row, repeatedly.
 * @see docs/decisions.md, D10
 */
export function createThumbnailCache(maxBytes: number): ThumbnailCache {
  const kept = new Map<string, Uint8Array>()
  const making = new Map<string, Promise<Uint8Array>>()
  let bytes = 0

  function keep(key: string, thumbnail: Uint8Array): void {
    kept.set(key, thumbnail)
    bytes += thumbnail.length
    // A map lists its keys in the order of insertion: the first is the least recently used.
    for (const [oldest, { length }] of kept) {
      if (bytes <= maxBytes) break
      kept.delete(oldest)
      bytes -= length
    }
  }

  async function makeOnce(key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    try {
      const thumbnail = await make()
      keep(key, thumbnail)
      return thumbnail
    } finally {
      making.delete(key)
    }
  }

  return {
    async get(key, make) {
      const found = kept.get(key)
      if (found) {
        kept.delete(key)
        kept.set(key, found)
        return found
      }
      const running = making.get(key) ?? makeOnce(key, make)
      making.set(key, running)
      return running
    },
  }
}
