import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createDeferred } from '@lantern-room/base/async'
import type { Connection } from '@lantern-room/easytier/transport'
import { createUdpTransport } from '@lantern-room/easytier/transport'
import { type WebSocket, WebSocketServer } from 'ws'
import { connectionSuite } from './connectionSuite'
import { loopback, portOf, tcpPair } from './setting'

connectionSuite(
  'tcp',
  async (signal) => {
    const [near, far] = await tcpPair(loopback(), signal)
    return { near, far, close: async () => {} }
  },
  { isStream: true },
)

connectionSuite(
  'udp',
  async (signal) => {
    const transports = loopback()
    const sockets = [await transports.openUdp(0), await transports.openUdp(0)] as const
    const clock = createSystemClock()
    const [from, to] = sockets.map((socket) => createUdpTransport({ socket, clock, randomBytes }))
    if (!from || !to) throw new Error('unreachable')
    const accepted = createDeferred<Connection>()
    to.accept(accepted.resolve)
    const near = await from.dial({ address: '127.0.0.1', port: to.port }, signal)
    return {
      near,
      far: await accepted.promise,
      close() {
        from.close()
        to.close()
        return Promise.all(sockets.map(({ closed }) => closed))
      },
    }
  },
  { isStream: false },
)

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
    const near = await loopback().dialWs(url, '127.0.0.1', signal)
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
