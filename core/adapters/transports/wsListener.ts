import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Connection } from '#core/easytier/transport/transports'
import { MAX_PACKET_SIZE } from '#core/easytier/wire/packet'
import { abortReason } from '#core/errors'
import { listenOnFirst, type TcpListening, untilAborted } from './tcpTransport'
import { linkOfWebSocket } from './wsTransport'

/** A connection that has not requested the upgrade by then is closed. */
const REQUEST_MS = 5000
/** Limit of connections that have not requested it yet. */
const MAX_WAITING = 256

/**
 * Accepts WebSocket connections at every path. Their remote address is that of the TCP connection: proxies' headers
 * are ignored. Accepted connections outlive it.
 * @param hosts the first whose family this machine has is used
 * @param port 0 = any
 * @throws Error in a few words, or the signal's reason
 */
export async function listenWs(
  hosts: readonly string[],
  port: number,
  onLink: (link: Connection) => void,
  signal: AbortSignal,
): Promise<TcpListening> {
  if (signal.aborted) throw abortReason(signal)
  const waiting = new Set<Socket>()
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_PACKET_SIZE,
    clientTracking: false,
  })
  const server = createServer(
    { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 },
    (_request, response) => {
      response.writeHead(426, { Upgrade: 'websocket', Connection: 'close' }).end()
    },
  )
  server.on('connection', (socket: Socket) => {
    if (signal.aborted || waiting.size >= MAX_WAITING) socket.destroy()
    waiting.add(socket)
    socket.once('close', () => waiting.delete(socket))
  })
  server.on('upgrade', (request, socket, head) => {
    waiting.delete(request.socket)
    socket.on('error', () => socket.destroy())
    if (signal.aborted) socket.destroy()
    sockets.handleUpgrade(request, socket, head, (ws) => {
      // Errors of an open connection end in its close.
      ws.on('error', () => ws.terminate())
      onLink(linkOfWebSocket(ws, request.socket))
    })
  })
  await listenOnFirst(server, hosts, port)
  return untilAborted(server, signal, () => {
    for (const socket of waiting) socket.destroy()
  })
}
