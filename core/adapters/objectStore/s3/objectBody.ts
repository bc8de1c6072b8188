import { Readable } from 'node:stream'
import { s3Error } from './s3Errors'

export type BodyRequest = {
  /** Requests the bytes from `start` to the wanted end, of the same object and no other. */
  readonly from: (start: number) => Promise<Readable>
  /** Where the first response begins, and how many bytes are wanted. */
  readonly start: number
  readonly length: number
}

/** How many responses in a row may break off before a byte has arrived. */
const MAX_BREAKS = 3

/**
 * Exactly the requested bytes. If a body breaks off or ends early, the rest is requested: after a failure, after
 * silence, and when the reader has paused for so long that the connection was closed.
 */
export function objectBody(
  first: Readable,
  { from, start, length }: BodyRequest,
): ReadableStream<Uint8Array> {
  let source = first
  let chunks = iterate(source)
  let position = start
  const end = start + length
  let breaks = 0
  let isCancelled = false

  async function next(): Promise<Uint8Array> {
    for (;;)
      try {
        const chunk = await chunks.next()
        if (chunk.done) throw new Error('The body ended before its last byte.')
        if (position + chunk.value.length > end) throw new Error('The body is longer than it should be.')
        breaks = 0
        return chunk.value
      } catch (error) {
        source.destroy()
        breaks += 1
        if (isCancelled || breaks > MAX_BREAKS) throw error
        source = await from(position)
        if (isCancelled) source.destroy()
        chunks = iterate(source)
      }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (position < end) {
            const chunk = await next()
            position += chunk.length
            controller.enqueue(chunk)
          }
          // Closed with the last byte: a reader that knows the size does not ask for more.
          if (position < end) return
          controller.close()
          // Reads the response to its end, so that its connection can be reused.
          chunks.next().catch(() => undefined)
        } catch (error) {
          if (!isCancelled) controller.error(s3Error(error))
        }
      },
      cancel() {
        isCancelled = true
        source.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Every byte of a body whose length is known. */
export async function readWhole(body: ReadableStream<Uint8Array>, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size)
  let filled = 0
  for await (const chunk of body) {
    bytes.set(chunk, filled)
    filled += chunk.length
  }
  return bytes
}

/** A response body as Node's stream, which the SDK always returns here. */
export function asReadable(body: unknown): Readable {
  if (body instanceof Readable) return body
  throw new Error('The answer has no body.')
}

function iterate(source: Readable): AsyncIterator<Uint8Array> {
  return source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
}
