import { Readable } from 'node:stream'
import { sizedStream } from '@lantern-room/base/bytes'
import { s3Error } from './s3Errors'

export type BodyRequest = {
  /** Requests the bytes from `start` to the same end, of the same version of the object. */
  readonly from: (start: number) => Promise<Readable>
  /** Where the first answer begins. */
  readonly start: number
  /** How many bytes are requested. */
  readonly length: number
}

/** Consecutive times that a body may break off before its first byte arrives. */
const MAX_BREAKS = 3

/**
 * Exactly the requested bytes. When a body breaks off or ends early, the rest is requested again: after a failure, after
 * silence, and when the reader paused for so long that the connection was closed.
 */
export function objectBody(
  first: Readable,
  { from, start, length }: BodyRequest,
): ReadableStream<Uint8Array> {
  let source = first
  let chunks = iterate(first)
  let breaks = 0
  let remaining = length
  let isCancelled = false
  const read = async (left: number): Promise<Uint8Array> => {
    try {
      const { done, value } = await chunks.next()
      if (done) throw new Error('The body ended before its last byte.')
      if (value.length > remaining) throw new Error('The body is longer than it should be.')
      breaks = 0
      remaining -= value.length
      return value
    } catch (error) {
      source.destroy()
      breaks += 1
      if (isCancelled || breaks > MAX_BREAKS) throw error
    }
    source = await from(start + length - left)
    if (isCancelled) source.destroy()
    chunks = iterate(source)
    return read(left)
  }
  return sizedStream(length, {
    read,
    close() {
      isCancelled = remaining > 0
      if (isCancelled) source.destroy()
      // The end of the answer is read, so that its connection can be used again.
      else chunks.next().catch(() => undefined)
    },
    asError: s3Error,
  })
}

/** A response body as Node's stream, which the SDK always returns here. */
export function asReadable(body: unknown): Readable {
  if (body instanceof Readable) return body
  throw new Error('The answer has no body.')
}

function iterate(source: Readable): AsyncIterator<Uint8Array> {
  return source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
}
