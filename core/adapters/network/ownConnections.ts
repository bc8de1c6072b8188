import type { Socket } from 'node:net'

/** The connections that this process has opened at addresses which others may have chosen, by both ends. */
const open = new Set<string>()

/** Notes a connection for as long as it is open. */
export function noteOwnConnection(socket: Socket): void {
  const note = () => {
    const { localAddress, localPort, remoteAddress, remotePort } = socket
    const ends = endsOf(localAddress, localPort, remoteAddress, remotePort)
    open.add(ends)
    socket.once('close', () => open.delete(ends))
  }
  if (socket.connecting) socket.once('connect', note)
  else if (!socket.destroyed) note()
}

/**
 * Whether the other end of an accepted connection is one of this process, at an address that others may have chosen.
 * @example server.on('connection', (socket) => isOwnConnection(socket) && socket.destroy())
 */
export function isOwnConnection({ localAddress, localPort, remoteAddress, remotePort }: Socket): boolean {
  return open.has(endsOf(remoteAddress, remotePort, localAddress, localPort))
}

/** Both ends: a port alone may be that of several connections. An address of IPv4 may be shown as one of IPv6. */
function endsOf(...[from, fromPort, to, toPort]: (string | number | undefined)[]): string {
  const plain = (address: unknown) => String(address).replace(/^::ffff:/i, '')
  return `${plain(from)} ${fromPort} ${plain(to)} ${toPort}`
}
