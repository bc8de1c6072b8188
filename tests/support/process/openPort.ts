import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** Lets a server listen on a free port. @returns the port. @throws where it cannot */
export async function openPort(server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening')
  return (server.address() as AddressInfo).port
}
