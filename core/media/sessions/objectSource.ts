import { ServiceError } from '@lantern-room/base'
import type { ByteSource, ByteSpan } from '@lantern-room/mp4/source'
import { rangedSource } from '@lantern-room/mp4/source'
import type { ObjectStore } from '../objectStore/ports'

/**
 * A stored object whose bytes are read by range.
 * @returns undefined when there is no such object
 * @throws ServiceError `unavailable`, `timeout`
 */
export async function openObjectSource(
  store: Pick<ObjectStore, 'open' | 'head'>,
  key: string,
): Promise<ByteSource | undefined> {
  const found = await store.head(key)
  if (!found) return undefined
  return rangedSource(found.size, async (start, end) => {
    const bytes = start === end ? new Uint8Array() : await readObject(store, key, { start, end })
    if (bytes) return bytes
    throw removedMeanwhile()
  })
}

export function removedMeanwhile(): ServiceError {
  return new ServiceError('not-found', 'The session was removed just now. Upload the video again.')
}

/** Bytes of a stored object, from `start` to before `end`. @returns undefined when there is no such object */
export async function readObject(
  store: Pick<ObjectStore, 'open'>,
  key: string,
  { start, end }: ByteSpan,
): Promise<Uint8Array | undefined> {
  const opened = await store.open(key, { start, end: end - 1 })
  return opened && new Uint8Array(await new Response(opened.body).arrayBuffer())
}
