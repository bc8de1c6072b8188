import { once } from 'node:events'
import { type WebSocket, WebSocketServer } from 'ws'
import { createDeferred } from '#core/async/deferred'
import type { Connection } from '#core/easytier/transport/transports'
import { connectionSuite } from './connectionSuite'
import { loopback, portOf } from './setting'

connectionSuite(
  'ws',
  async (signal) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
    await once(server, 'listening')
    const accepted = createDeferred<Connection>()
    server.on('connection', (ws, request) =>
      accepted.resolve(plainEnd(ws, request.socket.localPort ?? 0, request.socket.remotePort ?? 0)),
    )
    const url = { scheme: 'ws' as const, host: '127.0.0.1', port: portOf(server), path: '/' }
    const near = await loopback().dialWs(url, signal)
    return {
      near,
      far: await accepted.promise,
      close: () => new Promise((resolve) => server.close(resolve)),
    }
  },
  { isStream: true },
)

/** The port has no listener for WebSockets: this is a server by the package alone. */
function plainEnd(ws: WebSocket, localPort: number, remotePort: number): Connection {
  const early: Uint8Array[] = []
  let listener: ((packet: Uint8Array) => void) | undefined
  let isOpen = true
  ws.on('error', () => {})
  ws.on('message', (message: Buffer) => {
    if (!isOpen) return
    if (listener) listener(message)
    else early.push(message)
  })
  return {
    transport: 'ws',
    localPort,
    remote: { address: '127.0.0.1', port: remotePort },
    send: (packet) => ws.send(packet),
    onPacket(next) {
      listener = next
      for (const packet of early.splice(0)) next(packet)
    },
    close() {
      isOpen = false
      ws.close()
    },
    closed: new Promise((resolve) => ws.once('close', () => resolve())),
  }
}
