import { Buffer } from 'node:buffer'
import { ServiceError } from '@lantern-room/base'
import { failureOf } from '@lantern-room/base/http'
import { readBody } from './readBody'

/** The response that a function returns to the gateway. */
export type BufferedResult = {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isBase64Encoded: boolean
}

/**
 * A response as the result of a function. Bodies are always sent in base64, whatever their content type.
 * @throws ServiceError `payload-too-large`; what the body's stream throws; the signal's reason
 */
export async function bufferedResult(
  response: Response,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<BufferedResult> {
  const bytes = await collectBody(response, maxBytes, signal)
  const isBinary = bytes.length > 0
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: bytes.toString(isBinary ? 'base64' : 'utf8'),
    isBase64Encoded: isBinary,
  }
}

async function collectBody(response: Response, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of readBody(response.body, signal)) {
    length += chunk.length
    if (Math.max(length, Number(response.headers.get('Content-Length'))) > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError(
    'payload-too-large',
    `The answer is larger than the ${maxBytes} bytes that can be sent from here at once, and there is no bucket for it. ` +
      'Ask for a preview in ranges, and for a photo with a shorter clip.',
  )
}

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
