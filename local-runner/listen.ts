import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { ServiceError } from '../core/errors'
import { failureOf } from '../core/http/errorResponse'

export type Listening = {
  readonly url: string
  readonly port: number
  /** Takes no new connection and refuses new requests on old ones; resolves when the running ones are answered. */
  close(): Promise<void>
  /** Cuts what is still open. */
  cut(): void
}

/** An upload may take its time; a connection that sends no headers may not. */
const REQUEST_TIMEOUT_MS = 60 * 60_000
const HEADERS_TIMEOUT_MS = 30_000

/**
 * Serves an app over HTTP.
 * @param at.name of the setting that chooses the port, for the error
 * @throws ServiceError `unavailable` in one sentence when the address cannot be used
 */
export async function listen(
  app: (request: Request) => Promise<Response>,
  at: { readonly host: string; readonly port: number; readonly name: string },
): Promise<Listening> {
  let isClosing = false
  const answer = getRequestListener((request) => (isClosing ? stopping() : app(request)), {
    errorHandler: unreadable,
  })
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: HEADERS_TIMEOUT_MS },
    answer,
  )
  server.on('request', dropUnread)
  server.on('request', (_request, response) => {
    // A client that keeps its connection for later would keep the server from ending.
    response.once('close', () => isClosing && server.closeIdleConnections())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(at, cause)))
    server.listen(at.port, at.host, resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : at.port
  const host = at.host.includes(':') ? `[${at.host}]` : at.host
  return {
    url: `http://${host}:${port}`,
    port,
    close() {
      isClosing = true
      return new Promise((resolve) => {
        server.close(() => resolve())
      })
    },
    cut: () => server.closeAllConnections(),
  }
}

/**
 * A client that is refused early still sends. Its body is read and dropped for a moment, so that it gets to read the
 * answer and the connection stays good for its next request; whoever stops reading keeps the rest in the pipe, and the
 * next request would run into a closed connection. The adapter of Hono ends it when that takes too long.
 */
function dropUnread(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.readableEnded) return
    // Whoever has read so far would pause it.
    request.removeAllListeners('data')
    request.resume()
  })
}

function stopping(): Response {
  const error = new ServiceError('unavailable', 'The service is stopping. Try again in a moment.')
  return refusal(error, { Connection: 'close' })
}

/** What goes wrong before the app is asked, such as an address that is none. */
function unreadable(thrown: unknown): Response {
  if (!(thrown instanceof RequestError)) return refusal(thrown)
  const detail = 'The address of the request or its header Host cannot be read.'
  return refusal(new ServiceError('invalid-request', detail, { cause: thrown }))
}

function refusal(thrown: unknown, more: Record<string, string> = {}): Response {
  const { error, status, headers } = failureOf(thrown)
  return Response.json(
    { detail: error.detail, code: error.code },
    { status, headers: { ...headers, ...more } },
  )
}

function cannotListen(
  { host, port, name }: { host: string; port: number; name: string },
  cause: NodeJS.ErrnoException,
): ServiceError {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program. Stop that program, or set ${name} to another port.`,
    EACCES: `Port ${port} on ${host} may not be used by this user. Set ${name} to a port above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set the host to 127.0.0.1 or 0.0.0.0.`,
    ENOTFOUND: `The host name ${host} is not known. Set the host to 127.0.0.1 or 0.0.0.0.`,
  }
  const sentence = sentences[cause.code ?? ''] ?? `Port ${port} on ${host} cannot be used (${cause.code}).`
  return new ServiceError('unavailable', sentence, { cause })
}
