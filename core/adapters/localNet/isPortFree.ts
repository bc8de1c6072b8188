import { createServer } from 'node:net'
import type { IsPortFree } from '#core/room/ports'

/** Listens on the port for a moment. */
export const isPortFree: IsPortFree = (port) =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
