import type { Server } from 'node:net'

/** The port of a server that listens on TCP; 0 when it does not. */
export function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
