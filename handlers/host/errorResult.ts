import { failureOf } from '#core/http/errorResponse'

/**
 * The error response to a request whose own response cannot be sent.
 * @param given the response that it replaces: its CORS headers and the request's id are kept
 */
export function errorResult(thrown: unknown, given?: Response): Response {
  const { error, status, headers } = failureOf(thrown)
  const kept = [...(given?.headers ?? [])].filter(([name]) =>
    /^(access-control-|vary$|x-request-id$)/.test(name),
  )
  return Response.json(
    { detail: error.detail, code: error.code },
    { status, headers: { ...Object.fromEntries(kept), ...headers } },
  )
}
