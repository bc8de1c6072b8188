import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { ServiceError } from '../errors'

type RequestLogger = Readonly<
  Record<'info' | 'warn' | 'error', (message: string, fields: Record<string, unknown>) => void>
>

/** One line per request, with the route instead of the path: a path may hold a session's secret name. */
export function requestLog({ log, now }: { log: RequestLogger; now: () => number }): MiddlewareHandler {
  return async (context, next) => {
    const startedAt = now()
    const requestId = randomUUID()
    context.header('X-Request-Id', requestId)
    await next()
    const failure: unknown = context.error
    const { status } = context.res
    const fields = {
      request_id: requestId,
      method: context.req.method,
      route: routePath(context, -1),
      status,
      took_ms: now() - startedAt,
      ...(failure instanceof ServiceError && { code: failure.code }),
    }
    if (context.req.raw.signal?.aborted) return log.info('client left', fields)
    if (status < 500) return log.info('request', fields)
    log.error('request failed', { ...fields, cause: describe(failure) })
  }
}

/** An error with its causes, as text for the log. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  return {
    error: error.stack ?? error.message,
    ...(error.cause !== undefined && { cause: describe(error.cause) }),
  }
}
