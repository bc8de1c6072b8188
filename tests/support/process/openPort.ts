import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** Lets a server listen, on a free port unless it is named. @returns the port. @throws where it cannot */
export async function openPort(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  await once(server.listen(port, host), 'listening')
  return (server.address() as AddressInfo).port
}

/** A TCP server on 127.0.0.1, whose connections end with it. */
export async function openSocketServer(onSocket: (socket: Socket) => void, wanted = 0) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  return {
    port: await openPort(server, '127.0.0.1', wanted),
    /** Connections that are open now. */
    connections: () => sockets.size,
    /** The port is free when it resolves. */
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}
