import type { Readable } from 'node:stream'
import { stalledUpload } from './formErrors'

/**
 * The chunks of a body. Only the wait for the client is limited, not the time that the reader takes for a chunk.
 * @param idleMs how long the client may send nothing
 * @throws ServiceError `invalid-request` after that time; what the body throws
 */
export async function* chunksWithin(body: Readable, idleMs: number): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
  for (;;) {
    const timer = setTimeout(() => body.destroy(stalledUpload(idleMs)), idleMs)
    const next = await chunks.next().finally(() => clearTimeout(timer))
    if (next.done) return
    yield next.value
  }
}
