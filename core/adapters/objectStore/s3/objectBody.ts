import { Readable } from 'node:stream'
import { sizedStream } from '#core/bytes'
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
export function objectBody(first: Readable, request: BodyRequest): ReadableStream<Uint8Array> {
  const source = new ResumableBody(first, request)
  return sizedStream(request.length, {
    read: (left) => source.read(left),
    close: () => source.close(),
    asError: s3Error,
  })
}

/** A body that is requested again from where it broke off. */
class ResumableBody {
  readonly #from: BodyRequest['from']
  readonly #end: number
  #source: Readable
  #chunks: AsyncIterator<Uint8Array>
  #breaks = 0
  #remaining: number
  #isCancelled = false

  constructor(first: Readable, { from, start, length }: BodyRequest) {
    this.#from = from
    this.#end = start + length
    this.#source = first
    this.#chunks = iterate(first)
    this.#remaining = length
  }

  /** The next bytes. @param left how many there are */
  async read(left: number): Promise<Uint8Array> {
    this.#remaining = left
    for (;;) {
      try {
        const { done, value } = await this.#chunks.next()
        if (done) throw new Error('The body ended before its last byte.')
        if (value.length > left) throw new Error('The body is longer than it should be.')
        this.#breaks = 0
        this.#remaining -= value.length
        return value
      } catch (error) {
        this.#source.destroy()
        this.#breaks += 1
        if (this.#isCancelled || this.#breaks > MAX_BREAKS) throw error
      }
      this.#source = await this.#from(this.#end - left)
      if (this.#isCancelled) this.#source.destroy()
      this.#chunks = iterate(this.#source)
    }
  }

  /** After the last byte, reads the end of the answer, so that its connection can be used again. */
  close(): void {
    if (this.#remaining === 0) {
      this.#chunks.next().catch(() => undefined)
      return
    }
    this.#isCancelled = true
    this.#source.destroy()
  }
}

/** A response body as Node's stream, which the SDK always returns here. */
export function asReadable(body: unknown): Readable {
  if (body instanceof Readable) return body
  throw new Error('The answer has no body.')
}

function iterate(source: Readable): AsyncIterator<Uint8Array> {
  return source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
}
