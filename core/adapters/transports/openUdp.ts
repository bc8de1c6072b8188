import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { UdpSocket } from '#core/easytier/transport/transports'
import { enlargeBuffers, literalLookup } from '../network/nodeSockets'
import { describeSocketError } from './describeSocketError'

/** For bursts; systems may grant less. */
const BUFFER_SIZE = 4 * 1024 * 1024

/** With more bytes queued in the system, datagrams are dropped. */
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

/** As `openUdp`, on this address; an IPv6 address takes IPv6 only. */
export async function openUdpOn(address: string, port: number): Promise<UdpSocket> {
  const family = isIPv6(address) ? 6 : 4
  const socket = createSocket({ type: `udp${family}`, ipv6Only: family === 6, lookup: literalLookup(family) })
  try {
    // Its lookup answers at once, so it may listen before `bind` returns.
    const listening = once(socket, 'listening')
    socket.bind({ port, address, exclusive: true })
    await listening
  } catch (error) {
    socket.close()
    throw describeSocketError(error)
  }
  enlargeBuffers(socket, BUFFER_SIZE)
  let isOpen = true
  // Some systems report a datagram without a receiver as an error of the socket.
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
