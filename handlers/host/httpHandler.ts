import type { Context } from 'aws-lambda'
import { ServiceError } from '#core/errors'
import { describeError } from '#core/http/requestLog'
import type { Log } from '#core/log'
import type { App } from '#core/media/api/mediaApp'
import { type BufferedResult, bufferedResult, MAX_BUFFERED_BYTES } from './buffered'
import type { HandlerConfig } from './config'
import { createEnding } from './deadlines'
import { refusal } from './errorResult'
import type { HttpEvent } from './httpEvent'
import { receivedRequest } from './receivedRequest'
import { type StreamingHandler, type StreamingRuntime, streamResponse } from './streamed'

export type InvocationLog = Log & {
  /** Every line from here on tells of this invocation. */
  begin(context: Context, apiRequestId: string | undefined): void
}

export type HttpHandlerOptions = {
  readonly config: HandlerConfig
  /** The app, once it is there. */
  readonly service: Promise<{ readonly app: App; readonly log: InvocationLog }>
  /** For what goes wrong before there is an app. */
  readonly startLog: () => InvocationLog
  /** There when this runs where answers can be streamed. */
  readonly runtime: StreamingRuntime | undefined
}

export type HttpHandler = BufferedHandler | StreamingHandler<HttpEvent>
type BufferedHandler = (event: HttpEvent, context: Context) => Promise<BufferedResult>

const UNSENT = 'the answer cannot be sent'
const UNLIMITED = { maxBytes: Number.POSITIVE_INFINITY, signal: new AbortController().signal }

/** An app as a Lambda function behind a REST API, an HTTP API or a Function URL. */
export function httpHandler(options: HttpHandlerOptions): HttpHandler {
  const { config, runtime } = options
  if (config.responseMode === 'buffer') return buffering(options)
  if (runtime === undefined) throw new Error('RESPONSE_MODE=stream: this runtime cannot stream. Use buffer.')
  return runtime.streamifyResponse(streaming(options, runtime))
}

function buffering(options: HttpHandlerOptions): BufferedHandler {
  // Nothing limits an answer on a developer's machine, and what is deployed streams.
  const maxBytes = options.config.isOffline ? Number.POSITIVE_INFINITY : MAX_BUFFERED_BYTES
  return async (event, context) => {
    const ending = createEnding(context)
    try {
      const { response, log } = await answer(options, event, context, ending.working)
      return await bufferedResult(response, event, { maxBytes, signal: ending.sending }).catch(
        (error: unknown) => {
          log.error(UNSENT, { cause: describeError(error) })
          return bufferedResult(refusal(error, response), event, UNLIMITED)
        },
      )
    } finally {
      ending.clear()
    }
  }
}

function streaming(options: HttpHandlerOptions, runtime: StreamingRuntime): StreamingHandler<HttpEvent> {
  return async (event, out, context) => {
    // Else the runtime would wait for every socket that is kept for the next request.
    context.callbackWaitsForEmptyEventLoop = false
    const ending = createEnding(context)
    out.on('error', ending.leave).on('close', ending.leave)
    const { response, log } = await answer(options, event, context, ending.working)
    try {
      await streamResponse(response, out, {
        runtime,
        signal: ending.sending,
        onRefused: (error) => log.error(UNSENT, { cause: describeError(error) }),
      })
    } catch (error) {
      log.error('the answer broke off', { cause: describeError(error) })
      throw error
    } finally {
      ending.clear()
    }
  }
}

/** Never rejects: what fails before there is an app, or before there is a request, is an answer, too. */
async function answer(
  { service, startLog, config }: HttpHandlerOptions,
  event: HttpEvent,
  context: Context,
  signal: AbortSignal,
): Promise<{ response: Response; log: Log }> {
  const apiRequestId = event.requestContext?.requestId
  try {
    const { app, log } = await service
    log.begin(context, apiRequestId)
    const received = receivedRequest(event, { isOffline: config.isOffline, signal })
    if (received === undefined) {
      log.warn('the event is no request')
      return { response: refusal(noRequest()), log }
    }
    return { response: await app(received.request, received), log }
  } catch (error) {
    const log = startLog()
    log.begin(context, apiRequestId)
    log.error('the function cannot start', { cause: describeError(error) })
    return { response: refusal(cannotStart()), log }
  }
}

function cannotStart(): ServiceError {
  return new ServiceError('unavailable', 'The service cannot start. Tell the operator.')
}

function noRequest(): ServiceError {
  return new ServiceError('invalid-request', 'The request cannot be understood.')
}
