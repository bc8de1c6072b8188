import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { systemCode } from '@lantern-room/base'
import type { UdpSocket } from '@lantern-room/easytier/transport'
import { enlargeBuffers, literalLookup } from '../network/nodeSockets'
import { describeSocketError } from './describeSocketError'

/** For bursts; systems may grant less. */
const BUFFER_SIZE = 4 * 1024 * 1024

/** With more bytes queued in the system, datagrams are dropped. */
const MAX_QUEUED = 1024 * 1024

/** Ports of any number that are tried until one is free in both families. */
const ANY_PORT_TRIES = 10

/** Opens sockets like `openUdp` for both families on one port; for IPv4 alone where there is no IPv6, or its port is taken. */
export async function openUdpOnBoth(port: number): Promise<UdpSocket> {
  for (let tries = 1; ; tries += 1) {
    const ipv4 = await openUdp('0.0.0.0', port)
    const ipv6 = await openUdp('::', ipv4.port).catch((error: unknown) => error)
    if (!(ipv6 instanceof Error)) return bothOf(ipv4, ipv6 as UdpSocket)
    // A port that is free in IPv4 may be taken in IPv6.
    if (systemCode(ipv6.cause ?? ipv6) !== 'EADDRINUSE' || port !== 0 || tries === ANY_PORT_TRIES) return ipv4
    ipv4.close()
    await ipv4.closed
  }
}

function bothOf(ipv4: UdpSocket, ipv6: UdpSocket): UdpSocket {
  // Either can be closed by the system; both are gone then.
  void ipv4.closed.then(ipv6.close)
  void ipv6.closed.then(ipv4.close)
  return {
    port: ipv4.port,
    closed: Promise.all([ipv4.closed, ipv6.closed]).then(() => {}),
    send: (datagram, to) => (to.address.includes(':') ? ipv6 : ipv4).send(datagram, to),
    onDatagram(listener) {
      ipv4.onDatagram(listener)
      ipv6.onDatagram(listener)
    },
    close: ipv4.close,
  }
}

/**
 * A socket on this address; one of IPv6 takes IPv6 only.
 * @param port 0 = any
 * @throws Error in a few words when the port cannot be used
 */
export async function openUdp(address: string, port: number): Promise<UdpSocket> {
  const socket = await bindUdp(address, port)
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

async function bindUdp(address: string, port: number): Promise<Socket> {
  const family = isIPv6(address) ? 6 : 4
  const socket = createSocket({ type: `udp${family}`, ipv6Only: family === 6, lookup: literalLookup(family) })
  try {
    // Its lookup answers at once, so it may listen before `bind` returns.
    const listening = once(socket, 'listening')
    socket.bind({ port, address, exclusive: true })
    await listening
    return socket
  } catch (error) {
    socket.close()
    throw describeSocketError(error)
  }
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535
}
