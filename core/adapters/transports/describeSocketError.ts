import { systemCode } from '#core/errors'
/**
 * A network failure in a few words for a player, with the system's error as its cause.
 * @param error anything that was thrown; an Error without a code known here is returned as it is
 */
export function describeSocketError(error: unknown): Error {
  const words = wordsOf(error)
  if (words !== undefined) return new Error(words, { cause: error })
  return error instanceof Error ? error : new Error(String(error))
}

function wordsOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const known = words.get(systemCode(error) ?? '')
  if (known !== undefined) return known
  if (error instanceof AggregateError) return wordsOf(error.errors[0])
  // fetch itself reports only that it failed.
  return wordsOf(error.cause)
}

const words: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', 'the connection was reset'],
  ['UND_ERR_SOCKET', 'the connection was reset'],
  ['ETIMEDOUT', 'no answer'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no answer'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no answer'],
  ['EHOSTUNREACH', 'no route'],
  ['EHOSTDOWN', 'no route'],
  ['ENETUNREACH', 'no route'],
  ['ENETDOWN', 'no route'],
  ['EADDRNOTAVAIL', 'no route'],
  ['EAFNOSUPPORT', 'no route'],
  ['EACCES', 'not allowed by this system'],
  ['EPERM', 'not allowed by this system'],
  ['EADDRINUSE', 'the port is in use'],
  ['ENOTFOUND', 'no such host'],
  ['ENODATA', 'no such host'],
  ['EAI_AGAIN', 'no answer from the name server'],
  ['EAI_FAIL', 'no answer from the name server'],
])
