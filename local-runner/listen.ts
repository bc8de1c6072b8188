import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { ServiceError } from '../core/errors'

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
  const server = createAdaptorServer({
    fetch: (request: Request) => (isClosing ? stopping() : app(request)),
    serverOptions: { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: HEADERS_TIMEOUT_MS },
  }) as Server
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

function stopping(): Response {
  const body = { detail: 'The service is stopping. Try again in a moment.', code: 'unavailable' }
  return Response.json(body, { status: 503, headers: { Connection: 'close', 'Retry-After': '10' } })
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
