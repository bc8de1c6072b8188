import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { UdpSocket } from '#core/easytier/transport/transports'
import { describeSocketError } from './describeSocketError'

/** Space for a burst; systems may grant less. */
const BUFFER = 4 * 1024 * 1024

/** Beyond this many bytes that the system has not taken yet, datagrams are dropped rather than queued. */
const MAX_QUEUED = 1024 * 1024

/**
 * A socket for IPv4.
 * @param port 0 = any
 * @param isLoopback binds 127.0.0.1 only
 * @throws Error in a few words when the port cannot be used
 */
export function openUdp(port: number, isLoopback: boolean): Promise<UdpSocket> {
  return openUdpOn(isLoopback ? '127.0.0.1' : '0.0.0.0', port)
}

/** As `openUdp`, on this address; an IPv6 address accepts IPv6 only. */
export async function openUdpOn(address: string, port: number): Promise<UdpSocket> {
  const family = isIPv6(address) ? 6 : 4
  const socket = createSocket({ type: `udp${family}`, ipv6Only: family === 6, lookup: literally(family) })
  try {
    // Its lookup is synchronous, so it may listen before `bind` returns.
    const listening = once(socket, 'listening')
    socket.bind({ port, address, exclusive: true })
    await listening
  } catch (error) {
    socket.close()
    throw describeSocketError(error)
  }
  enlarge(socket)
  let isOpen = true
  // On some systems a datagram that found no receiver comes back as an error of the socket.
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isOpen = false
      resolve()
    })
  })

  return {
    port: socket.address().port,
    closed,
    send(datagram, to) {
      if (!isOpen || !isPort(to.port) || socket.getSendQueueSize() > MAX_QUEUED) return
      socket.send(datagram, to.port, to.address)
    },
    onDatagram(listener) {
      socket.removeAllListeners('message')
      socket.on('message', (datagram, { address, port }) => listener(datagram, { address, port }))
    },
    close() {
      if (!isOpen) return
      isOpen = false
      socket.close()
    },
  }
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535
}

/** Addresses are literals here. Calling the system's resolver would cost more than the sending itself. */
function literally(family: 4 | 6) {
  return (
    address: string,
    _options: unknown,
    done: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
  ): void => done(null, address, family)
}

/** A system that refuses keeps its own size. */
function enlarge(socket: Socket): void {
  for (const set of ['setRecvBufferSize', 'setSendBufferSize'] as const) {
    try {
      socket[set](BUFFER)
    } catch {}
  }
}
