import { type FileHandle, open } from 'node:fs/promises'
import { ServiceError } from '@lantern-room/base'
import { sizedStream } from '@lantern-room/base/bytes'
import type { ByteRange } from '@lantern-room/media/ports'
import { ifPresent, storageError } from './fileErrors'

const CHUNK_BYTES = 128 * 1024

export type OpenFile = { readonly handle: FileHandle; readonly size: number }

/**
 * Opens a file for reading. @returns undefined when there is no such file; otherwise the caller must close the handle
 */
export async function openFile(path: string): Promise<OpenFile | undefined> {
  const handle = await ifPresent(open(path, 'r'))
  if (handle === undefined) return undefined
  try {
    const stats = await handle.stat()
    if (stats.isFile()) return { handle, size: stats.size }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}

/** Reads a file, and closes it afterwards. @returns undefined when there is no such file */
export async function withFile<T>(path: string, use: (file: OpenFile) => Promise<T>): Promise<T | undefined> {
  const file = await openFile(path)
  try {
    return file && (await use(file))
  } finally {
    await file?.handle.close()
  }
}

/** @throws ServiceError `out-of-range` when the range does not lie inside a file of `size` bytes */
export function checkRange({ start, end }: ByteRange, size: number): void {
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end < start || end >= size)
    throw new ServiceError('out-of-range', `The range lies outside of the ${size} bytes that are stored.`)
}

/** The bytes of a range that was checked; closes the handle at its end, when cancelled, and when reading fails. */
export function streamRange(file: OpenFile, start: number, length: number): ReadableStream<Uint8Array> {
  return sizedStream(length, {
    read: (left) => readRange(file, start + length - left, Math.min(left, CHUNK_BYTES)),
    close: () => file.handle.close(),
    asError: storageError,
  })
}

/** Reads the bytes of a range that was checked. */
export async function readRange(
  { handle }: OpenFile,
  start: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length)
  await fillFrom(handle, bytes, start)
  return bytes
}

/** Fills `bytes` from a file, from `position` on. */
export async function fillFrom(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let filled = 0; filled < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, position + filled)
    if (bytesRead === 0) throw new Error('The file became shorter while it was read.')
    filled += bytesRead
  }
}
