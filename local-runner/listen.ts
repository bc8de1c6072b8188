import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import { ServiceError } from '../core/errors'
import { failureOf } from '../core/http/errorResponse'

export type Listening = {
  readonly url: string
  readonly port: number
  /** Accepts no new connection and refuses new requests on open ones; resolves when the running ones are answered. */
  close(): Promise<void>
  /** Closes every connection at once. */
  cut(): void
}

/** Uploads may be slow; headers must come soon. */
const REQUEST_TIMEOUT_MS = 60 * 60_000
const HEADERS_TIMEOUT_MS = 70_000
/** Longer than the 60 s of common proxies: otherwise a proxy may send a request on a connection that is closing. */
const KEEP_ALIVE_MS = 65_000

export type ListenAddress = {
  readonly host: string
  readonly port: number
  /** Name of the setting that chooses the port, for the error. */
  readonly name: string
  /** How many following ports are tried when the port is in use, before any free one; without it that is an error. */
  readonly fallback?: number
}

export type ListenOptions = {
  /** How long an idle connection stays open. */
  readonly keepAliveMs?: number
  /** The body of the response to an error outside of the app. */
  readonly errorBody?: (error: ServiceError) => object
  /** Handles upgrades to a WebSocket; offers of other protocols are ignored. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/**
 * Serves an app over HTTP.
 * @throws ServiceError `unavailable` in one sentence when the address cannot be used
 */
export async function listen(
  app: (request: Request, seen: { remoteAddress: string | undefined }) => Promise<Response>,
  at: ListenAddress,
  { errorBody = mediaErrorBody, onUpgrade, keepAliveMs = KEEP_ALIVE_MS }: ListenOptions = {},
): Promise<Listening> {
  let isClosing = false
  const refuse = refusalOf(errorBody)
  const answer = getRequestListener(
    (request, { incoming }) => {
      if (isClosing) return refuse(stopping(), CLOSE)
      return app(request, { remoteAddress: incoming.socket.remoteAddress })
    },
    { errorHandler: (thrown) => refuse(unreadable(thrown)) },
  )
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: keepAliveMs,
    },
    answer,
  )
  server.on('request', dropUnread)
  server.on('request', (_request, response) => {
    // Idle keep-alive connections would keep the server from closing.
    response.once('close', () => isClosing && server.closeIdleConnections())
  })
  if (onUpgrade) {
    server.on('upgrade', (request, socket, head) => {
      if (/^websocket$/i.test(request.headers.upgrade ?? '')) onUpgrade(request, socket, head)
      else serveWithoutUpgrade(server, request, socket, head)
    })
  }
  await bind(server, at)
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
 * Reads and drops the rest of a body whose request is already answered, so that the client reads the response and can
 * reuse the connection. Hono's adapter closes the connection when that takes too long.
 */
function dropUnread(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.readableEnded) return
    // The reader so far would pause the request.
    request.removeAllListeners('data')
    request.resume()
  })
}

/**
 * Java's HTTP client offers HTTP/2 with its first request. With a listener for upgrades Node no longer treats such a
 * request as an ordinary one, so it is fed to the server again without the offer.
 */
function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, rawHeaders } = request
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !/^(upgrade|connection|http2-settings)$/i.test(name)
      ? [`${name}: ${rawHeaders[index + 1]}`]
      : [],
  )
  const start = `${method} ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
  socket.unshift(Buffer.concat([Buffer.from(start, 'latin1'), head]))
  server.emit('connection', socket)
}

/** Binds the port, or one of the following ports where that is allowed. */
async function bind(server: Server, at: ListenAddress): Promise<void> {
  const { host, port, fallback } = at
  const next = fallback === undefined ? [] : Array.from({ length: fallback }, (_, step) => port + 1 + step)
  const ports = [port, ...next.filter((one) => one < 65_536), ...(fallback === undefined ? [] : [0])]
  for (const [index, candidate] of ports.entries()) {
    const cause = await tryListen(server, candidate, host)
    if (!cause) return
    const isLast = index === ports.length - 1
    if (isLast || cause.code !== 'EADDRINUSE') throw cannotListen(at, cause)
  }
}

function tryListen(server: Server, port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const onError = (cause: NodeJS.ErrnoException) => resolve(cause)
    server.once('error', onError)
    server.listen(port, host, () => {
      server.off('error', onError)
      resolve(undefined)
    })
  })
}

const CLOSE = { Connection: 'close' }

function stopping(): ServiceError {
  return new ServiceError('unavailable', 'The service is stopping. Try again in a moment.')
}

/** An error before the app is called, such as an invalid URL. */
function unreadable(thrown: unknown): unknown {
  if (!(thrown instanceof RequestError)) return thrown
  const detail = 'The address of the request or its header Host cannot be read.'
  return new ServiceError('invalid-request', detail, { cause: thrown })
}

function mediaErrorBody({ detail, code }: ServiceError): object {
  return { detail, code }
}

function refusalOf(errorBody: (error: ServiceError) => object) {
  return (thrown: unknown, more: Record<string, string> = {}): Response => {
    const { error, status, headers } = failureOf(thrown)
    return Response.json(errorBody(error), { status, headers: { ...headers, ...more } })
  }
}

function cannotListen({ host, port, name }: ListenAddress, cause: NodeJS.ErrnoException): ServiceError {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program. Stop that program, or set ${name} to another port.`,
    EACCES: `Port ${port} on ${host} may not be used by this user. Set ${name} to a port above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set the host to 127.0.0.1 or 0.0.0.0.`,
    ENOTFOUND: `The host name ${host} is not known. Set the host to 127.0.0.1 or 0.0.0.0.`,
  }
  const sentence = sentences[cause.code ?? ''] ?? `Port ${port} on ${host} cannot be used (${cause.code}).`
  return new ServiceError('unavailable', sentence, { cause })
}
