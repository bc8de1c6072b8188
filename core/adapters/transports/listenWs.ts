import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Connection } from '#core/easytier/transport/transports'
import { MAX_PACKET_SIZE } from '#core/easytier/wire/packet'
import { abortReason } from '#core/errors'
import { closeOnAbort, listenOnFirst, type TcpListening } from './listenTcp'
import { wsConnection } from './wsConnection'

/** A connection that has not asked for the upgrade by then is closed. */
const REQUEST_MS = 5000
/** Connections that have not asked for the upgrade yet. */
const MAX_PENDING = 256

/** What a listener of wss has. */
export type WsCertificate = {
  /** PEM. */
  current(): { readonly cert: string; readonly key: string }
  onRenewed(listener: (pair: { readonly cert: string; readonly key: string }) => void): void
}

/** @property certificate listens for wss instead of ws; a renewed one holds for new connections */
export type WsListenerOptions = {
  readonly certificate?: WsCertificate | undefined
  /** Connections are accepted at this path alone, and 404 at others; undefined = at every path. */
  readonly secretPath?: string | undefined
  /** One word for GET /health, which answers 200 if it is `ok` and else 503; undefined = there is no such answer. */
  readonly health?: (() => string) | undefined
}

/**
 * Accepts connections over WebSocket. Their remote address is that of the TCP connection: headers of proxies are not
 * trusted. Accepted connections outlive the listener.
 * @param hosts the first whose family this machine has
 * @param port 0 = any
 * @throws Error in a few words, or the signal's reason
 */
export async function listenWs(
  hosts: readonly string[],
  port: number,
  onConnection: (connection: Connection) => void,
  signal: AbortSignal,
  { certificate, secretPath, health }: WsListenerOptions = {},
): Promise<TcpListening> {
  if (signal.aborted) throw abortReason(signal)
  const pending = new Map<string, Socket>()
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_PACKET_SIZE,
    clientTracking: false,
  })
  const isOpen = pathGuard(secretPath)
  const server = createHttpServer(certificate, ({ url }, response) => {
    if (url === '/health' && health) return answerHealth(response, health())
    response.writeHead(426, { Upgrade: 'websocket', Connection: 'close' }).end()
  })
  server.on('connection', (socket: Socket) => {
    if (signal.aborted || pending.size >= MAX_PENDING) socket.destroy()
    const key = endsOf(socket)
    pending.set(key, socket)
    socket.once('close', () => pending.delete(key))
  })
  server.on('upgrade', (request, socket, head) => {
    pending.delete(endsOf(request.socket))
    socket.on('error', () => socket.destroy())
    if (signal.aborted) socket.destroy()
    if (!isOpen(request.url)) {
      socket.end(NOT_FOUND, () => socket.destroy())
      return
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      // `close` follows every error of an open connection.
      ws.on('error', () => ws.terminate())
      onConnection(wsConnection(ws, request.socket))
    })
  })
  await listenOnFirst(server, hosts, port)
  return closeOnAbort(server, signal, () => {
    for (const socket of pending.values()) socket.destroy()
  })
}

const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** Compares digests, so that timing reveals nothing about the secret. */
function pathGuard(secretPath: string | undefined): (url: string | undefined) => boolean {
  if (secretPath === undefined) return () => true
  const expected = digestOf(secretPath)
  return (url = '') => timingSafeEqual(digestOf(url), expected)
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function answerHealth(response: ServerResponse, status: string): void {
  response
    .writeHead(status === 'ok' ? 200 : 503, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      Connection: 'close',
    })
    .end(JSON.stringify({ status }))
}

function createHttpServer(certificate: WsCertificate | undefined, listener: RequestListener) {
  const limits = {
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: 1000,
  }
  if (!certificate) return createServer(limits, listener)
  const options = { ...limits, handshakeTimeout: REQUEST_MS, ...certificate.current() }
  const server = createSecureServer(options, listener)
  certificate.onRenewed((pair) => server.setSecureContext(pair))
  return server
}

/** The same for a TLS connection and the TCP connection below it. */
function endsOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
