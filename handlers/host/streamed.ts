import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { StreamifyHandler } from 'aws-lambda'
import { ServiceError } from '#core/errors'
import { refusal } from './errorResult'
import { chunksOf } from './readBody'

/**
 * The part of Lambda's runtime that streams.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html
 */
export type StreamingRuntime = typeof awslambda

/** Its `out.destroy` is never called: it would take away the runtime's own means to tell that an answer broke off. */
export type StreamingHandler<E> = StreamifyHandler<E, void>

/**
 * Sends an answer through the runtime's stream: status and header fields as JSON, eight zero bytes, the body. A body
 * that fails before its first bytes becomes a refusal. One that breaks off later is never ended: the rejection makes
 * the runtime tell the front door that what it has is not whole.
 * @param options.onRefused hears why a refusal was sent
 * @throws what the body's stream throws after its first bytes; the signal's reason
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
export async function streamResponse(
  response: Response,
  out: awslambda.HttpResponseStream,
  options: {
    readonly runtime: StreamingRuntime
    readonly signal: AbortSignal
    readonly onRefused: (error: unknown) => void
  },
): Promise<void> {
  const { runtime, signal, onRefused } = options
  const opened = await open(response, signal).catch((error: unknown) => {
    onRefused(error)
    return open(refusal(error, response), new AbortController().signal)
  })
  const stream = runtime.HttpResponseStream.from(out, metadataOf(opened.response))
  try {
    // The runtime sends the metadata with the first write, so that there must be one.
    stream.write(opened.first)
    let sent = opened.first.length
    for await (const chunk of opened.rest) {
      if (!stream.write(chunk)) await drained(stream, signal)
      sent += chunk.length
    }
    const promised = opened.response.headers.get('Content-Length')
    if (opened.response.body && promised !== null && Number(promised) !== sent)
      throw new ServiceError('internal', `The answer has ${sent} bytes instead of ${promised}.`)
  } finally {
    await opened.rest.return()
  }
  // The runtime's `end` takes no last chunk.
  stream.end()
}

type Opened = {
  readonly response: Response
  readonly first: Uint8Array
  readonly rest: AsyncGenerator<Uint8Array, void>
}

async function open(response: Response, signal: AbortSignal): Promise<Opened> {
  const rest = chunksOf(response.body, signal)
  const { value } = await rest.next()
  return { response, rest, first: value ?? new Uint8Array(0) }
}

function metadataOf({ status, headers }: Response): Record<string, unknown> {
  const cookies = headers.getSetCookie()
  return {
    statusCode: status,
    headers: Object.fromEntries([...headers].filter(([name]) => name !== 'set-cookie')),
    ...(cookies.length > 0 && { cookies }),
  }
}

async function drained(stream: Writable, signal: AbortSignal): Promise<void> {
  await once(stream, 'drain', { signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw error
  })
}
