import { Writable } from 'node:stream'
import type { Context, StreamifyHandler } from 'aws-lambda'

// Lambda's streaming interface as its Node.js runtime keeps it: what it accepts, and when it takes an answer as whole.
// https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html

export type Streamed = {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Why what was sent is not whole: the runtime tells it in a trailer. Undefined for a whole answer. */
  readonly brokenBy: unknown
}

export type Reading = {
  /** Called with each piece that was sent; the next one is taken when it resolves. */
  readonly take?: (chunk: Buffer, out: Writable) => Promise<void> | void
}

const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming')
const HEAD_TYPE = 'application/vnd.awslambda.http-integration-response'
const SEPARATOR = Buffer.alloc(8)
/** A gateway looks for the separator in so many bytes. */
const MAX_HEAD_BYTES = 16 * 1024

type Out = Writable & {
  _onBeforeFirstWrite?: (write: (chunk: unknown) => void) => void
  contentType?: string
}

/** What the runtime sets as `globalThis.awslambda`. */
export const lambdaRuntime = {
  streamifyResponse: (handler: object) => Object.assign(handler, { [STREAMING]: 'response' }),
  HttpResponseStream: {
    from(out: Out & { setContentType(type: string): void }, metadata: object) {
      out.setContentType(HEAD_TYPE)
      const head = JSON.stringify(metadata)
      out._onBeforeFirstWrite = (write) => {
        write(head)
        write(new Uint8Array(8))
      }
      return out
    },
  },
} as unknown as typeof awslambda

/** Calls a streaming handler and reads what a front door would read. */
export async function invokeStreaming(
  handler: unknown,
  event: unknown,
  context: Context,
  reading: Reading = {},
): Promise<Streamed> {
  if ((handler as { [STREAMING]?: string })[STREAMING] !== 'response')
    throw new Error('the runtime would call this handler without a stream')
  const chunks: Buffer[] = []
  const out = responseStream(chunks, reading)
  let brokenBy: unknown
  try {
    const result: unknown = await (handler as StreamifyHandler)(event, out as never, context)
    if (result !== undefined) throw new Error('Streaming handlers ignore return values.')
    if (!out.writableEnded) throw new Error('Response stream is not finished.')
    if (!out.writableFinished) await new Promise((resolve) => out.once('finish', resolve))
  } catch (error) {
    brokenBy = error
    if (out.writableEnded) throw new Error('ended as if it were whole', { cause: error })
  }
  return { ...parse(Buffer.concat(chunks), out.contentType, brokenBy !== undefined), brokenBy }
}

function responseStream(chunks: Buffer[], { take }: Reading): Out {
  let hasWritten = false
  const out: Out = new Writable({
    highWaterMark: 16_384,
    // As an outgoing HTTP request: when it is finished, it just is.
    autoDestroy: false,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      void Promise.resolve(take?.(chunk, out)).then(() => done())
    },
  })
  const write = out.write.bind(out) as (chunk: unknown) => boolean
  const end = out.end.bind(out) as (done?: () => void) => Out
  return Object.assign(out, {
    setContentType(type: string) {
      if (hasWritten) throw new Error('Cannot set content-type, too late.')
      out.contentType = type
    },
    write(chunk: unknown) {
      if (!hasWritten) out._onBeforeFirstWrite?.(write)
      hasWritten = true
      const isBytes = Buffer.isBuffer(chunk) || (chunk as object)?.constructor === Uint8Array
      return write(typeof chunk === 'string' || isBytes ? chunk : JSON.stringify(chunk))
    },
    end: (done?: unknown) => end(typeof done === 'function' ? (done as () => void) : undefined),
    destroy() {
      throw new Error('a destroyed stream cannot tell the front door that the answer is not whole')
    },
  })
}

function parse(
  bytes: Buffer,
  contentType: string | undefined,
  isBroken: boolean,
): Omit<Streamed, 'brokenBy'> {
  const nothing = { statusCode: 502, headers: {}, body: Buffer.alloc(0) }
  if (bytes.length === 0) return nothing
  if (contentType !== HEAD_TYPE) throw new Error(`content type ${contentType}`)
  const at = bytes.subarray(0, MAX_HEAD_BYTES).indexOf(SEPARATOR)
  if (at < 0 && isBroken) return nothing
  if (at < 0) throw new Error('no separator within the first 16 KB')
  const head = JSON.parse(bytes.toString('utf8', 0, at))
  const strangers = Object.keys(head).filter((key) => !['statusCode', 'headers'].includes(key))
  if (strangers.length > 0) throw new Error(`unknown metadata: ${strangers}`)
  return { ...nothing, ...head, body: bytes.subarray(at + 8) }
}
