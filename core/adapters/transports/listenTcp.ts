import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { systemCode } from '@lantern-room/base'
import { onAbort } from '@lantern-room/base/async'
import type { Connection } from '@lantern-room/easytier/transport'
import { SOCKET_BUFFER } from '../network/connectTcp'
import { portOf } from '../network/nodeSockets'
import { describeSocketError } from './describeSocketError'
import { tcpConnection } from './tcpConnection'

/** `closed` resolves when the port is free again. */
export type TcpListening = { readonly port: number; readonly closed: Promise<void> }

/** All addresses of both families, or of IPv4 where there is no IPv6. */
export const EVERY_HOST = ['::', '0.0.0.0']

/**
 * Listens on the first of these addresses whose family this machine has. Accepted connections outlive the listener.
 * @param port 0 = any
 * @throws Error in a few words, or the signal's reason
 */
export async function listenTcp(
  hosts: readonly string[],
  port: number,
  onConnection: (connection: Connection) => void,
  signal: AbortSignal,
): Promise<TcpListening> {
  signal.throwIfAborted()
  const server = createServer({ highWaterMark: SOCKET_BUFFER, noDelay: true }, (socket) => {
    if (signal.aborted || socket.remoteAddress === undefined) socket.destroy()
    else onConnection(tcpConnection(socket))
  })
  await listenOnFirst(server, hosts, port)
  return closeOnAbort(server, signal)
}

/** Binds the first address whose family this machine has. @throws Error in a few words */
export async function listenOnFirst(server: Server, hosts: readonly string[], port: number): Promise<void> {
  for (const [at, host] of hosts.entries()) {
    try {
      server.listen({ host, port })
      await once(server, 'listening')
      return
    } catch (error) {
      const isLast = at === hosts.length - 1
      if (isLast || !FAMILY_ABSENT.has(systemCode(error) ?? '')) throw describeSocketError(error)
    }
  }
}

const FAMILY_ABSENT: ReadonlySet<string> = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL'])

/**
 * Closes a listening server when the signal aborts.
 * @param onClose closes connections that were not accepted yet
 */
export function closeOnAbort(server: Server, signal: AbortSignal, onClose = () => {}): TcpListening {
  // Later errors (no descriptors left) concern a single connection that was not accepted.
  server.on('error', () => {})
  const closed = new Promise<void>((resolve) => {
    onAbort(signal, () => {
      server.close()
      onClose()
      // Not its `close` event, which waits for the accepted connections.
      setImmediate(resolve)
    })
  })
  return { port: portOf(server), closed }
}
