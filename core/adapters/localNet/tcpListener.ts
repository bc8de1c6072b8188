import { createServer, type Server, type Socket } from 'node:net'
import { connectTcp } from './connectTcp'
import { STREAM_BUFFER } from './socketStream'

export type TcpListener = {
  readonly port: number
  /** Accepts no more connections and closes those that are open. Resolves when all are closed. */
  close(): Promise<void>
}

/** Addresses to listen on: loopback, or all that the machine has. */
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
  { ipv4, ipv6 }: ListenAddresses,
  port: number,
  onSocket: (socket: Socket) => void,
): Promise<TcpListener | undefined> {
  if (port !== 0 && (await isShadowed(port))) return undefined
  // A port that is free in IPv4 may be taken in IPv6; if the port was given, there is no other one to try.
  for (let tries = port === 0 ? 20 : 1; tries > 0; tries--) {
    const first = await bind(ipv4, port, onSocket)
    if (typeof first === 'string') return undefined
    const second = await bind(ipv6, first.port, onSocket).catch(async (error: unknown) => {
      await first.close()
      throw error
    })
    if (second === 'absent') return first
    if (second !== 'taken') return both(first, second)
    await first.close()
  }
  return undefined
}

/**
 * On systems other than Linux, a program that listens on all addresses does not prevent another one from listening on
 * loopback alone, and clients on this machine would then reach the other program.
 */
async function isShadowed(port: number): Promise<boolean> {
  if (process.platform === 'linux') return false
  const socket = await connectTcp({ host: '127.0.0.1', port }, 300).catch(() => undefined)
  socket?.destroy()
  return socket !== undefined
}

function both(first: TcpListener, second: TcpListener): TcpListener {
  return {
    port: first.port,
    close: async () => void (await Promise.all([first.close(), second.close()])),
  }
}

function bind(
  host: string,
  port: number,
  onSocket: (socket: Socket) => void,
): Promise<TcpListener | 'taken' | 'absent'> {
  const sockets = new Set<Socket>()
  const server = createServer({ highWaterMark: STREAM_BUFFER, noDelay: true }, (socket) => {
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

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    for (const socket of sockets) socket.destroy()
  })
}
