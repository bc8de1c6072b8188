import { failureOf } from '#core/http/errorResponse'

/**
 * The answer to a request whose own answer cannot be sent.
 * @param given the answer that is taken back: who may read it, and the request's id, stay
 */
export function refusal(thrown: unknown, given?: Response): Response {
  const { error, status, headers } = failureOf(thrown)
  const kept = [...(given?.headers ?? [])].filter(([name]) =>
    /^(access-control-|vary$|x-request-id$)/.test(name),
  )
  return Response.json(
    { detail: error.detail, code: error.code },
    { status, headers: { ...Object.fromEntries(kept), ...headers } },
  )
}
