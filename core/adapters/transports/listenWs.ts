import { createServer, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from '@lantern-room/easytier/transport'
import { MAX_PACKET_SIZE } from '@lantern-room/easytier/wire'
import { WebSocketServer } from 'ws'
import { closeOnAbort, listenOnFirst, type TcpListening } from './listenTcp'
import { wsConnection } from './wsConnection'

/** A connection that has not asked for the upgrade by then is closed. */
const REQUEST_MS = 5000
/** Connections that have not asked for the upgrade yet; with more, the oldest is closed. */
const MAX_PENDING = 256
const LIMITS = {
  headersTimeout: REQUEST_MS,
  requestTimeout: REQUEST_MS,
  connectionsCheckingInterval: 1000,
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
): Promise<TcpListening> {
  signal.throwIfAborted()
  const pending = new Set<Socket>()
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_PACKET_SIZE,
    clientTracking: false,
  })
  const server = createServer(LIMITS, ({ url }, response) => {
    if (url === '/health') return answerHealth(response)
    response.writeHead(426, { Upgrade: 'websocket', Connection: 'close' }).end()
  })
  server.on('connection', (socket: Socket) => {
    if (signal.aborted) socket.destroy()
    pending.add(socket)
    const [oldest] = pending
    if (pending.size > MAX_PENDING && oldest) {
      pending.delete(oldest)
      oldest.destroy()
    }
    socket.once('close', () => pending.delete(socket))
  })
  server.on('upgrade', (request, socket, head) => {
    pending.delete(request.socket)
    socket.on('error', () => socket.destroy())
    if (signal.aborted) socket.destroy()
    sockets.handleUpgrade(request, socket, head, (ws) => {
      // `close` follows every error of an open connection.
      ws.on('error', () => ws.terminate())
      onConnection(wsConnection(ws, request.socket))
    })
  })
  await listenOnFirst(server, hosts, port)
  return closeOnAbort(server, signal, () => {
    for (const socket of pending) socket.destroy()
  })
}

/** What a monitor asks for: the relay answers at all. */
function answerHealth(response: ServerResponse): void {
  response
    .writeHead(200, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      Connection: 'close',
    })
    .end(JSON.stringify({ status: 'ok' }))
}
