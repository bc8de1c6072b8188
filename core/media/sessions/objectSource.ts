import { ServiceError } from '#core/errors'
import { type ByteSource, rangedSource } from '#core/formats/source/byteSource'
import type { ByteSpan } from '#core/formats/source/reading'
import type { ObjectStore } from '../objectStore/ports'

/** The index of a preview that lasts up to some five minutes lies in its first bytes. */
const HEAD_BYTES = 64 * 1024

/** Bytes that a source of this file keeps in memory. */
export function headBytesOf({ size }: Pick<ByteSource, 'size'>): number {
  return Math.min(HEAD_BYTES, size)
}

/**
 * A stored object whose bytes are read by range. Its first bytes are read as one block, once: that is where headers and
 * indexes lie, which are read in many small parts.
 * @returns undefined when there is no such object
 * @throws ServiceError `unavailable`, `timeout`
 */
export async function openObjectSource(
  store: Pick<ObjectStore, 'open' | 'head'>,
  key: string,
): Promise<ByteSource | undefined> {
  const found = await store.head(key)
  if (!found) return undefined
  const { size } = found
  const headBytes = headBytesOf({ size })
  let head: Promise<Uint8Array> | undefined

  function readHead(): Promise<Uint8Array> {
    head ??= readRange(store, key, 0, headBytes).catch((error: unknown) => {
      head = undefined
      throw error
    })
    return head
  }

  return rangedSource(size, async (start, end) => {
    if (start === end) return new Uint8Array()
    return end <= headBytes ? (await readHead()).subarray(start, end) : readRange(store, key, start, end)
  })
}

async function readRange(
  store: Pick<ObjectStore, 'open'>,
  key: string,
  start: number,
  end: number,
): Promise<Uint8Array> {
  const bytes = await readObject(store, key, { start, end })
  if (bytes) return bytes
  throw removedMeanwhile()
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
