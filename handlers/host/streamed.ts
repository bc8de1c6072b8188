import { once } from 'node:events'
import { ServiceError } from '@lantern-room/base'
import { raceSignal } from '@lantern-room/base/async'
import type { StreamifyHandler } from 'aws-lambda'
import { errorResult } from './buffered'
import { readBody } from './readBody'

/**
 * The part of Lambda's runtime that streams.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html
 */
export type StreamingRuntime = typeof awslambda

/** Never calls `out.destroy`: the runtime could then no longer report that a response broke off. */
export type StreamingHandler<E> = StreamifyHandler<E, void>

/**
 * Sends a response through the runtime's stream: status and header fields as JSON, eight zero bytes, the body. If the
 * body fails before its first bytes, an error response is sent instead. If it breaks off later the stream is not ended:
 * the rejection makes the runtime report to the gateway that the response is incomplete.
 * @param options.onRefused called with the reason when an error response is sent instead
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
    return open(errorResult(error, response), new AbortController().signal)
  })
  const { status, headers } = opened.response
  const metadata = { statusCode: status, headers: Object.fromEntries(headers) }
  const stream = runtime.HttpResponseStream.from(out, metadata)
  try {
    // The runtime sends the metadata with the first write, so that there must be one.
    stream.write(opened.first)
    let sent = opened.first.length
    for await (const chunk of opened.rest) {
      if (!stream.write(chunk)) await raceSignal(once(stream, 'drain'), signal)
      sent += chunk.length
    }
    const promised = headers.get('Content-Length')
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
  const rest = readBody(response.body, signal)
  const { value } = await rest.next()
  return { response, rest, first: value ?? new Uint8Array(0) }
}
