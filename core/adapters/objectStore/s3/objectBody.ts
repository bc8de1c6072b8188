import { Readable } from 'node:stream'
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
 * @see docs/decisions.md, D23
 */
export function objectBody(
  first: Readable,
  { from, start, length }: BodyRequest,
): ReadableStream<Uint8Array> {
  const source = new ResumableBody(first, from)
  const end = start + length
  let position = start

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (position < end) {
            const chunk = await source.read(position, end)
            position += chunk.length
            controller.enqueue(chunk)
          }
          // Closed with the last byte: a reader that knows the size does not ask for more.
          if (position < end) return
          controller.close()
          source.finish()
        } catch (error) {
          if (!source.isCancelled) controller.error(s3Error(error))
        }
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  )
}

/** A body that is requested again from where it broke off. */
class ResumableBody {
  readonly #from: BodyRequest['from']
  #source: Readable
  #chunks: AsyncIterator<Uint8Array>
  #breaks = 0
  isCancelled = false

  constructor(first: Readable, from: BodyRequest['from']) {
    this.#from = from
    this.#source = first
    this.#chunks = iterate(first)
  }

  /** The next bytes from `position` on, none beyond `end`. */
  async read(position: number, end: number): Promise<Uint8Array> {
    for (;;) {
      const chunk = await this.#attempt(end - position)
      if (chunk) return chunk
      this.#source = await this.#from(position)
      if (this.isCancelled) this.#source.destroy()
      this.#chunks = iterate(this.#source)
    }
  }

  /** Reads the end of the answer, so that its connection can be used again. */
  finish(): void {
    this.#chunks.next().catch(() => undefined)
  }

  cancel(): void {
    this.isCancelled = true
    this.#source.destroy()
  }

  /** @returns undefined when the body broke off and can be requested again */
  async #attempt(remaining: number): Promise<Uint8Array | undefined> {
    try {
      const chunk = await nextChunk(this.#chunks, remaining)
      this.#breaks = 0
      return chunk
    } catch (error) {
      this.#source.destroy()
      this.#breaks += 1
      if (this.isCancelled || this.#breaks > MAX_BREAKS) throw error
      return undefined
    }
  }
}

/** @throws Error when the body ends before, or is longer than the `remaining` bytes */
async function nextChunk(chunks: AsyncIterator<Uint8Array>, remaining: number): Promise<Uint8Array> {
  const { done, value } = await chunks.next()
  if (done) throw new Error('The body ended before its last byte.')
  if (value.length > remaining) throw new Error('The body is longer than it should be.')
  return value
}

/** A response body as Node's stream, which the SDK always returns here. */
export function asReadable(body: unknown): Readable {
  if (body instanceof Readable) return body
  throw new Error('The answer has no body.')
}

function iterate(source: Readable): AsyncIterator<Uint8Array> {
  return source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
}
