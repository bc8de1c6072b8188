import { type FileHandle, open } from 'node:fs/promises'
import { addAbortSignal, Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { abortReason } from '#core/errors'
import type { ReceiveBody } from '#core/media/ports'
import { onDisk } from '../objectStore/disk/fileErrors'
import { cutForm, tooLong } from './formErrors'
import { chunksWithin, writeAll } from './saveUpload'

/** Reads a body at the pace of the disk. It becomes `upload` in the folder. */
export const receiveBody: ReceiveBody = async (request, { folder, size, idleMs, signal, onBytes }) => {
  if (signal.aborted) throw abortReason(signal)
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > size) throw tooLong(size)
  if ((announced !== null && Number(announced) < size) || request.body === null) throw cutForm()
  const path = folder.path('upload')
  const file = await onDisk(() => open(path, 'wx', 0o600))
  const body = addAbortSignal(signal, Readable.fromWeb(request.body as NodeReadableStream))
  try {
    await save(chunksWithin(body, idleMs), file, size, onBytes)
    return path
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : error
  } finally {
    body.destroy()
    await file.close()
  }
}

async function save(
  chunks: AsyncIterable<Uint8Array>,
  file: FileHandle,
  size: number,
  onBytes: ((bytes: number) => void) | undefined,
): Promise<void> {
  let received = 0
  for await (const chunk of chunks) {
    received += chunk.length
    if (received > size) throw tooLong(size)
    await writeAll(file, chunk)
    onBytes?.(received)
  }
  if (received < size) throw cutForm()
}
