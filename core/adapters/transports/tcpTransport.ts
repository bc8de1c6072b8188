import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Connection } from '#core/easytier/transport/transports'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { abortReason } from '#core/errors'
import { describeSocketError } from './describeSocketError'
import { linkOfSocket } from './tcpConnection'

/** One read of the system returns up to 64 KiB; the stream may buffer this much before it reports that it is full. */
const BUFFER = 256 * 1024

/** @throws Error in a few words when refused, or the signal's reason */
export async function dialTcp(
  to: Endpoint,
  signal: AbortSignal,
  from?: { readonly localPort: number },
): Promise<Connection> {
  return linkOfSocket(await connectSocket(to, signal, from?.localPort))
}

/**
 * A connected socket that has not been read from.
 * @param localPort binds the socket; the system lets other connections share it, but no listener
 * @throws Error in a few words when refused, or the signal's reason
 */
export function connectSocket(to: Endpoint, signal: AbortSignal, localPort?: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal))
    // An option of the stream that is missing in the types of `connect`.
    const options = { highWaterMark: BUFFER, noDelay: true, ...(localPort ? { localPort } : {}) }
    const socket = connect({ host: to.address, port: to.port, ...options })
    const settle = () => {
      signal.removeEventListener('abort', abort)
      socket.off('connect', succeed).off('error', fail)
    }
    const giveUp = (error: unknown) => {
      settle()
      // A closing socket may still emit an error.
      socket.on('error', () => {})
      socket.destroy()
      reject(error)
    }
    const fail = (error: Error) => giveUp(describeSocketError(error))
    const abort = () => giveUp(abortReason(signal))
    const succeed = () => {
      settle()
      resolve(socket)
    }
    signal.addEventListener('abort', abort, { once: true })
    socket.once('error', fail).once('connect', succeed)
  })
}

/**
 * Listens on all addresses of both families, or of IPv4 where there is no IPv6. Accepted connections outlive it.
 * @param isLoopback listens on 127.0.0.1 only
 * @param port 0 = any
 * @returns `closed` resolves when the port is free again
 * @throws Error in a few words, or the signal's reason
 */
export function listenTcp(
  port: number,
  onLink: (link: Connection) => void,
  signal: AbortSignal,
  isLoopback: boolean,
): Promise<TcpListening> {
  return listenTcpOn(isLoopback ? ['127.0.0.1'] : ['::', '0.0.0.0'], port, onLink, signal)
}

export type TcpListening = { readonly port: number; readonly closed: Promise<void> }

/** As `listenTcp`, on the first of these addresses whose family this machine has. */
export async function listenTcpOn(
  hosts: readonly string[],
  port: number,
  onLink: (link: Connection) => void,
  signal: AbortSignal,
): Promise<TcpListening> {
  if (signal.aborted) throw abortReason(signal)
  const server = createServer({ highWaterMark: BUFFER, noDelay: true }, (socket) => {
    if (signal.aborted || socket.remoteAddress === undefined) socket.destroy()
    else onLink(linkOfSocket(socket))
  })
  await listenOnFirst(server, hosts, port)
  return untilAborted(server, signal)
}

/**
 * Keeps a server listening until the signal aborts.
 * @param onClose closes connections that are not accepted yet
 */
export function untilAborted(server: Server, signal: AbortSignal, onClose = () => {}): TcpListening {
  // Later errors (no descriptors left) concern a single connection that was not accepted.
  server.on('error', () => {})
  const address = server.address()
  const closed = new Promise<void>((resolve) => {
    const close = () => {
      server.close()
      onClose()
      // Not its `close` event, which waits for the accepted connections.
      setImmediate(resolve)
    }
    if (signal.aborted) close()
    else signal.addEventListener('abort', close, { once: true })
  })
  return { port: typeof address === 'object' && address !== null ? address.port : 0, closed }
}

/** Binds the first address whose family this machine has. @throws Error in a few words */
export async function listenOnFirst(server: Server, hosts: readonly string[], port: number): Promise<void> {
  for (const [at, host] of hosts.entries()) {
    try {
      server.listen({ host, port })
      await once(server, 'listening')
      return
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      const isFamilyAbsent = code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL' || code === 'EINVAL'
      if (!isFamilyAbsent || at === hosts.length - 1) throw describeSocketError(error)
    }
  }
}
