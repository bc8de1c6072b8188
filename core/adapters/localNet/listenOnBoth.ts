import { createServer, type Server, type Socket } from 'node:net'
import { connectTcp, SOCKET_BUFFER } from '../network/connectTcp'
import { portOf } from '../network/nodeSockets'

export type TcpListener = {
  readonly port: number
  /** Stops accepting, and closes all accepted connections. Resolves when all are closed. */
  close(): Promise<void>
}

/** The addresses to listen on: loopback only, or all of the machine. */
export type ListenAddresses = { readonly ipv4: string; readonly ipv6: string }
export const LOOPBACK: ListenAddresses = { ipv4: '127.0.0.1', ipv6: '::1' }
export const EVERY_ADDRESS: ListenAddresses = { ipv4: '0.0.0.0', ipv6: '::' }

/**
 * Listens in IPv4, and in IPv6 where there is one, on the same port.
 * @param port 0 = any port that is free in both
 * @returns undefined when the port is taken
 * @throws Error for any other reason why the system refuses
 */
export async function listenOnBoth(
  addresses: ListenAddresses,
  port: number,
  onSocket: (socket: Socket) => void,
): Promise<TcpListener | undefined> {
  if (port !== 0) return (await isShadowed(port)) ? undefined : bindBoth(addresses, port, onSocket)
  // A port that is free in IPv4 may be taken in IPv6.
  for (let count = 0; count < ANY_PORT_TRIES; count += 1) {
    const listener = await bindBoth(addresses, port, onSocket)
    if (listener !== undefined) return listener
  }
  return undefined
}

const ANY_PORT_TRIES = 20

/** @returns undefined when the port is taken in one of the families */
async function bindBoth(
  { ipv4, ipv6 }: ListenAddresses,
  port: number,
  onSocket: (socket: Socket) => void,
): Promise<TcpListener | undefined> {
  const first = await bind(ipv4, port, onSocket)
  if (typeof first === 'string') return undefined
  const second = await bind(ipv6, first.port, onSocket).catch(async (error: unknown) => {
    await first.close()
    throw error
  })
  if (second === 'absent') return first
  if (second !== 'taken')
    return { port: first.port, close: async () => void (await Promise.all([first.close(), second.close()])) }
  await first.close()
  return undefined
}

/**
 * Whether a program accepts connections on the port. Only Linux refuses to bind loopback while another program listens on all
 * addresses; elsewhere we would take over that program's clients on this machine.
 */
async function isShadowed(port: number): Promise<boolean> {
  if (process.platform === 'linux') return false
  const signal = AbortSignal.timeout(300)
  const tries = [LOOPBACK.ipv4, LOOPBACK.ipv6].map(async (address) => {
    const socket = await connectTcp({ address, port }, { signal }).catch(() => undefined)
    socket?.destroy()
    return socket !== undefined
  })
  return (await Promise.all(tries)).includes(true)
}

function bind(
  host: string,
  port: number,
  onSocket: (socket: Socket) => void,
): Promise<TcpListener | 'taken' | 'absent'> {
  const sockets = new Set<Socket>()
  const server = createServer({ highWaterMark: SOCKET_BUFFER, noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const outcome = outcomes[error.code ?? '']
      if (outcome === undefined) reject(error)
      else resolve(outcome)
    })
    server.listen({ host, port, ipv6Only: true }, () => {
      // Later errors (no descriptors left) concern a single connection that was not accepted.
      server.removeAllListeners('error').on('error', () => {})
      resolve({ port: portOf(server), close: () => closeAll(server, sockets) })
    })
  })
}

const outcomes: Readonly<Record<string, 'taken' | 'absent'>> = {
  EADDRINUSE: 'taken',
  EACCES: 'taken',
  EADDRNOTAVAIL: 'absent',
  EAFNOSUPPORT: 'absent',
}

function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    for (const socket of sockets) socket.destroy()
  })
}
