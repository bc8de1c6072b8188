import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { ServiceError } from '../errors'
import { describeError, type Log } from '../log'

/** Removes the patterns of path parameters (`{[^/]+}` after a name), which only clutter the log. */
const PARAMETER_PATTERNS = /\{[^}]*\}/g

type RequestLogDependencies = {
  log: Pick<Log, 'info' | 'warn' | 'error'>
  now: () => number
}

/**
 * One line per request, with the route instead of the path, because a path may contain anything. A route that knows
 * its session sets the variable `sessionId`, an app that knows its client by name `clientName`.
 * @param dependencies.now in milliseconds
 * @returns middleware that also sets the header `X-Request-Id`, by which a client can name the line, and the variable `requestId`
 * @example app.use(requestLog({ log, now: clock.unixTime }))
 */
export function requestLog({ log, now }: RequestLogDependencies): MiddlewareHandler {
  return async (context, next) => {
    const startedAt = now()
    const requestId = randomUUID()
    context.header('X-Request-Id', requestId)
    context.set('requestId', requestId)
    await next()
    const failure: unknown = context.error
    const { status } = context.res
    const sessionId: unknown = context.get('sessionId')
    const client: unknown = context.get('clientName')
    const fields = {
      request_id: requestId,
      method: context.req.method,
      route: routePath(context, -1).replaceAll(PARAMETER_PATTERNS, ''),
      status,
      took_ms: now() - startedAt,
      ...(client !== undefined && { client }),
      ...(sessionId !== undefined && { session_id: sessionId }),
      ...(failure instanceof ServiceError && { code: failure.code }),
    }
    const { signal } = context.req.raw
    // If it aborted with an error of ours, the host ended the request, not the client.
    const hasLeft = signal?.aborted && !(signal.reason instanceof ServiceError)
    if (hasLeft) return log.info('client left', fields)
    if (status < 500) return log.info('request', fields)
    log.error('request failed', { ...fields, cause: describeError(failure) })
  }
}
