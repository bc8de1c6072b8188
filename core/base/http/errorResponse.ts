import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type ErrorCode, ServiceError } from '../errors'

/** The HTTP status of each failure. A new code does not compile until it has a status here. */
export const HTTP_STATUS: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  'invalid-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  conflict: 409,
  'payload-too-large': 413,
  'unsupported-media': 415,
  'out-of-range': 422,
  unprocessable: 422,
  'too-busy': 429,
  'quota-exceeded': 429,
  internal: 500,
  unavailable: 503,
  timeout: 504,
}

/** Seconds after which a retry makes sense, where the error itself does not say. */
const RETRY_AFTER: Partial<Record<ErrorCode, string>> = { 'too-busy': '5', unavailable: '10' }

/**
 * Any thrown value as a failure that may be shown. The message of an unexpected error is kept as the cause only.
 * @returns the error, and the HTTP status and headers of its answer; `Retry-After` is in seconds
 * @example
 * app.onError((thrown, context) => {
 *   const { error, status, headers } = failureOf(thrown)
 *   return context.json({ code: error.code, detail: error.detail }, status, headers)
 * })
 */
export function failureOf(thrown: unknown) {
  const error = toServiceError(thrown)
  const retryAfter = error.retryAfterSeconds?.toString() ?? RETRY_AFTER[error.code]
  return {
    error,
    status: HTTP_STATUS[error.code],
    headers: {
      'Cache-Control': 'no-store',
      ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
      ...(error.code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' }),
    },
  }
}

/** What Hono refuses by itself; anything else is a body that it cannot read. */
const HONO_REFUSALS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  413: ['payload-too-large', 'The request body is too large.'],
  415: ['unsupported-media', 'The Content-Type must be application/json: send the body as JSON.'],
}

function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  if (thrown instanceof HTTPException && thrown.status < 500) {
    const [code, detail] = HONO_REFUSALS[thrown.status] ?? [
      'invalid-request',
      'The request body cannot be read.',
    ]
    return new ServiceError(code, detail, { cause: thrown })
  }
  const detail = 'Something went wrong here. Try again; if it stays so, tell the operator.'
  return new ServiceError('internal', detail, { cause: thrown })
}
