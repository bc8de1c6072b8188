import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import { ServiceError } from '@lantern-room/base'
import { failureOf } from '@lantern-room/base/http'
import { isOutgoing, SERVER_NAME } from '@lantern-room/base/network'
import { bindPort, type ListenAddress } from './bindPort'

export type Listening = Awaited<ReturnType<typeof listen>>

/** Uploads may be slow; headers must come soon. */
const REQUEST_TIMEOUT_MS = 60 * 60_000
const HEADERS_TIMEOUT_MS = 70_000
/** How often late requests are looked for. */
const CHECK_MS = 10_000
/** Longer than the 60 s of common proxies: otherwise a proxy may send a request on a connection that is closing. */
const KEEP_ALIVE_MS = 65_000

export type ListenOptions = {
  /** How long a request may take to arrive. */
  readonly requestMs?: number
  /** The body of the response to an error outside of the app. */
  readonly errorBody?: (error: ServiceError) => object
  /** Whether a connection was opened by this process itself: what comes over it was chosen by others. */
  readonly isOwnConnection?: (socket: Socket) => boolean
  /** Called for each request that is refused since this program has sent it. */
  readonly onOwnRequest?: () => void
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
  options: ListenOptions = {},
) {
  const { onUpgrade, requestMs = REQUEST_TIMEOUT_MS } = options
  let isDraining = false
  let isClosing = false
  let running = 0
  const refuse = (thrown: unknown, more: Record<string, string> = {}): Response => {
    const { error, status, headers } = failureOf(thrown)
    const { detail, code } = error
    return Response.json(options.errorBody?.(error) ?? { detail, code }, {
      status,
      headers: { ...headers, ...more },
    })
  }
  const answer = getRequestListener(
    (request, { incoming }) => {
      if (isClosing) return refuse(new ServiceError('unavailable', STOPPING), { Connection: 'close' })
      if (isOwnRequest(incoming, options)) {
        options.onOwnRequest?.()
        return refuse(new ServiceError('forbidden', OWN_REQUEST), { Connection: 'close' })
      }
      return app(request, { remoteAddress: incoming.socket.remoteAddress })
    },
    { errorHandler: (thrown) => refuse(unreadable(thrown)) },
  )
  const limits = {
    requestTimeout: requestMs,
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(CHECK_MS, requestMs),
    // Newer versions of Node pass over other offers by themselves; for the rest there is `serveWithoutUpgrade`.
    shouldUpgradeCallback: (request: IncomingMessage) => onUpgrade !== undefined && isWebSocket(request),
  }
  const server = createServer(limits)
  server.on('request', (_request, response) => {
    response.setHeader('Server', SERVER_NAME)
    if (isDraining) response.setHeader('Connection', 'close')
  })
  server.on('request', nameHost)
  server.on('request', answer)
  server.on('request', dropUnread)
  const closeIfIdle = () => {
    if (!isClosing || running > 0) return
    server.close()
    // Idle keep-alive connections would keep the server from closing.
    server.closeIdleConnections()
  }
  server.on('request', (_request, response) => {
    running += 1
    response.once('close', () => {
      running -= 1
      closeIfIdle()
    })
  })
  if (onUpgrade) {
    server.on('upgrade', (request, socket, head) => {
      if (isWebSocket(request) && !isOwnRequest(request, options)) onUpgrade(request, socket, head)
      else serveWithoutUpgrade(server, request, socket, head)
    })
  }
  await bindPort(server, at)
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : at.port
  const host = at.host.includes(':') ? `[${at.host}]` : at.host
  return {
    url: `http://${host}:${port}`,
    port,
    /** Serves on, but has clients open another connection for their next request, so that proxies keep none to this host. */
    drain() {
      isDraining = true
    },
    /**
     * Refuses new requests (503); resolves when the running ones are answered, and then accepts no connection any more. After `drain` it
     * accepts none from the beginning: a proxy that is refused the connection may turn to another host, whatever it was to send.
     */
    close() {
      isClosing = true
      return new Promise<void>((resolve) => {
        server.once('close', resolve)
        if (isDraining) server.close()
        closeIfIdle()
      })
    },
    /** Closes every connection at once. */
    cut: () => server.closeAllConnections(),
  }
}

/** A request of HTTP/1.0 need not name the host that it was sent to: it is the address that was connected to. */
function nameHost({ httpVersion, headers, rawHeaders, socket }: IncomingMessage): void {
  if (httpVersion !== '1.0' || headers.host !== undefined) return
  const { localAddress = '127.0.0.1', localPort = 80 } = socket
  const host = isIPv6(localAddress) ? `[${localAddress}]:${localPort}` : `${localAddress}:${localPort}`
  headers.host = host
  rawHeaders.push('Host', host)
}

/** Whether this program has sent a request: it was led here by a list, an invitation or another member. */
function isOwnRequest(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  { isOwnConnection }: Pick<ListenOptions, 'isOwnConnection'>,
): boolean {
  return isOutgoing(headers) || isOwnConnection?.(socket) === true
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return /^websocket$/i.test(headers.upgrade ?? '')
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

const OWN_REQUEST =
  'The request comes from this program itself, which somebody else has led here: nothing was done. Check which shared nodes and lists are set.'

const STOPPING = 'The service is stopping. Try again in a moment.'

/** An error before the app is called, such as an invalid URL. */
function unreadable(thrown: unknown): unknown {
  if (!(thrown instanceof RequestError)) return thrown
  const detail = 'The address of the request or its header Host cannot be read.'
  return new ServiceError('invalid-request', detail, { cause: thrown })
}
