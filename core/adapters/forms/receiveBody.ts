import { addAbortSignal, Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { ReceiveBody } from '@lantern-room/media/ports'
import { cutForm, tooLong } from './formErrors'
import { chunksWithin, saveUpload } from './saveUpload'

/**
 * Reads a body at the pace of the disk. It becomes `upload` in the folder. Its options, units and errors are those of `ReceiveBody`.
 * @example const path = await receiveBody(request, { folder, size: 5_000_000, idleMs: 60_000, signal })
 */
export const receiveBody: ReceiveBody = async (request, { folder, size, idleMs, signal, onBytes }) => {
  signal.throwIfAborted()
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > size) throw tooLong(size)
  if ((announced !== null && Number(announced) < size) || request.body === null) throw cutForm()
  const path = folder.path('upload')
  const body = addAbortSignal(signal, Readable.fromWeb(request.body as NodeReadableStream))
  try {
    const tooMuch = () => tooLong(size)
    const received = await saveUpload(chunksWithin(body, idleMs), { path, maxBytes: size, tooMuch, onBytes })
    if (received < size) throw cutForm()
    return path
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    body.destroy()
  }
}
