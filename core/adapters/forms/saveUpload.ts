import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { ServiceError } from '@lantern-room/base'
import { onDisk } from '../objectStore/disk/fileErrors'
import { cutForm, stalledUpload, tooLarge } from './formErrors'

const HEAD_BYTES = 4096

export type SaveUploadOptions = {
  readonly path: string
  readonly maxBytes: number
  readonly checkHead?: (head: Uint8Array) => void
  /** Called with the bytes so far, from when the head has passed. */
  readonly onBytes?: ((bytes: number) => void) | undefined
  /** The refusal of more than `maxBytes`. */
  readonly tooMuch?: () => ServiceError
}

/**
 * Writes what a client sends to a new file. Nothing is written before its first 4,096 bytes (or all of it, if it is
 * shorter) have passed `checkHead`; an empty file is not checked.
 * @returns its size in bytes
 */
export async function saveUpload(
  content: AsyncIterable<Uint8Array>,
  { path, maxBytes, checkHead, onBytes, tooMuch = () => tooLarge(maxBytes) }: SaveUploadOptions,
): Promise<number> {
  let size = 0
  let head = Buffer.alloc(0)
  let file: FileHandle | undefined
  const startFile = async () => {
    if (size > 0) checkHead?.(new Uint8Array(head.subarray(0, HEAD_BYTES)))
    file = await onDisk(() => open(path, 'wx', 0o600))
    await append(file, head)
  }
  try {
    for await (const chunk of chunksOf(content)) {
      size += chunk.length
      if (size > maxBytes) throw tooMuch()
      if (file === undefined) head = Buffer.concat([head, chunk])
      else await append(file, chunk)
      if (file === undefined && head.length >= HEAD_BYTES) await startFile()
      if (file !== undefined) onBytes?.(size)
    }
    if (file === undefined) await startFile()
    return size
  } finally {
    await file?.close()
  }
}

function append(file: FileHandle, bytes: Uint8Array): Promise<void> {
  return onDisk(() => file.appendFile(bytes))
}

async function* chunksOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } catch (error) {
    throw error instanceof ServiceError ? error : cutForm(error)
  }
}

/**
 * The chunks of a body. Only the wait for the client is limited, not the time that the reader takes for a chunk.
 * @param idleMs how long the client may send nothing
 * @throws ServiceError `invalid-request` after that time, and when the client disconnects
 */
export async function* chunksWithin(body: Readable, idleMs: number): AsyncGenerator<Uint8Array> {
  const chunks = chunksOf(body)
  for (;;) {
    const timer = setTimeout(() => body.destroy(stalledUpload(idleMs)), idleMs)
    const next = await chunks.next().finally(() => clearTimeout(timer))
    if (next.done) return
    yield next.value
  }
}
