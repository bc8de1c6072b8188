import { describeError, type Log, ServiceError } from '@lantern-room/base'
import type { App } from '@lantern-room/media'
import type { Context } from 'aws-lambda'
import type { HttpEvent } from './address'
import { type BufferedResult, bufferedResult, errorResult } from './buffered'
import type { HandlerConfig } from './config'
import type { RedirectLarge } from './largeAnswers'
import { receivedRequest } from './receivedRequest'
import { type StreamingHandler, type StreamingRuntime, streamResponse } from './streamed'

export type InvocationLog = Log & {
  /** Adds this invocation's ids to every line from here on. */
  begin(context: Context, apiRequestId: string | undefined): void
}

export type HttpHandlerOptions = {
  readonly config: HandlerConfig
  /** The app, once it is composed. */
  readonly service: Promise<{ app: App; log: InvocationLog; redirectLarge: RedirectLarge }>
  /** For errors before there is an app. */
  readonly startLog: () => InvocationLog
  /** Defined where responses can be streamed. */
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
  const { maxResponseBytes: maxBytes } = options.config
  return async (event, context) => {
    const deadlines = createDeadlines(context)
    try {
      const { response, log } = await answer(options, event, context, deadlines.work)
      return await bufferedResult(response, { maxBytes, signal: deadlines.response }).catch(
        (error: unknown) => {
          log.error(UNSENT, { cause: describeError(error) })
          return bufferedResult(errorResult(error, response), UNLIMITED)
        },
      )
    } finally {
      deadlines.clear()
    }
  }
}

function streaming(options: HttpHandlerOptions, runtime: StreamingRuntime): StreamingHandler<HttpEvent> {
  return async (event, out, context) => {
    // Otherwise the runtime would wait for every socket that is kept for the next request.
    context.callbackWaitsForEmptyEventLoop = false
    const deadlines = createDeadlines(context)
    out.on('error', deadlines.clientLeft).on('close', deadlines.clientLeft)
    const { response, log } = await answer(options, event, context, deadlines.work)
    try {
      await streamResponse(response, out, {
        runtime,
        signal: deadlines.response,
        onRefused: (error) => log.error(UNSENT, { cause: describeError(error) }),
      })
    } catch (error) {
      log.error('the answer broke off', { cause: describeError(error) })
      throw error
    } finally {
      deadlines.clear()
    }
  }
}

/** Never rejects: failures before there is an app or a request become error responses, too. */
async function answer(
  { service, startLog, config }: HttpHandlerOptions,
  event: HttpEvent,
  context: Context,
  signal: AbortSignal,
): Promise<{ response: Response; log: Log }> {
  const apiRequestId = event.requestContext?.requestId
  try {
    const { app, log, redirectLarge } = await service
    log.begin(context, apiRequestId)
    const received = receivedRequest(event, { isOffline: config.isOffline, signal })
    if (received === undefined) {
      log.warn('the event is no request')
      const noRequest = new ServiceError('invalid-request', 'The request cannot be understood.')
      return { response: errorResult(noRequest), log }
    }
    const response = await app(received.request, received)
    const sent = redirectLarge(response, signal).catch((error: unknown) => {
      log.error(UNSENT, { cause: describeError(error) })
      return errorResult(error, response)
    })
    return { response: await sent, log }
  } catch (error) {
    const log = startLog()
    log.begin(context, apiRequestId)
    log.error('the function cannot start', { cause: describeError(error) })
    const cannotStart = new ServiceError('unavailable', 'The service cannot start. Tell the operator.')
    return { response: errorResult(cannotStart), log }
  }
}

/** How long before the function's time limit running work is aborted, so that there is time for an error response. */
const RESPONSE_MS = 1500
/** How long before the function's time limit a response that is still being sent is broken off, so that this is logged. */
const LOG_MS = 500

/** @param context of the invocation: it knows how much time is left */
export function createDeadlines(context: { getRemainingTimeInMillis?(): number }) {
  const work = new AbortController()
  const response = new AbortController()
  const remainingMs = context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY
  const timers = Number.isFinite(remainingMs)
    ? [
        setTimeout(() => work.abort(outOfTime()), Math.max(0, remainingMs - RESPONSE_MS)),
        setTimeout(() => response.abort(outOfTime()), Math.max(LOG_MS, remainingMs - LOG_MS)),
      ]
    : []
  return {
    /** Aborts when the time for work is over, or when the client has disconnected. */
    work: work.signal,
    /** Aborts when the time for sending the response is over, or when the client has disconnected. */
    response: response.signal,
    /** Aborts both. */
    clientLeft() {
      const reason = new Error('The client has disconnected.')
      work.abort(reason)
      response.abort(reason)
    },
    /** Stops the timers. */
    clear() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

function outOfTime(): ServiceError {
  return new ServiceError('timeout', 'It took longer than this function may run. Send a shorter video.')
}
