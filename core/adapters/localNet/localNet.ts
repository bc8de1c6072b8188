import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, isIPv6, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { handled, onAbort, untilAborted, withDeadline } from '@lantern-room/base/async'
import type { DatagramFlow } from '@lantern-room/base/bytes'
import { isLinkLocalIpv6 } from '@lantern-room/base/network'
import type { IsPortFree, LocalNet } from '@lantern-room/game/ports'
import { connectTcp } from '../network/connectTcp'
import {
  isLoopbackOnly,
  isOwnAddress,
  type NetworkInterfaces,
  ownAddresses,
} from '../network/networkInterfaces'
import { enlargeBuffers } from '../network/nodeSockets'
import { socketStream } from '../network/socketStream'
import { createFlow } from './flow'
import { listenFlows } from './listenFlows'
import { EVERY_ADDRESS, type ListenAddresses, LOOPBACK, listenOnBoth, type TcpListener } from './listenOnBoth'

/** The interfaces of the machine are read at most so often. */
const RESCAN_MS = 1000
const CONNECT_MS = 5000
const FLOW_IDLE_MS = 180_000
/** Bytes, for bursts: games send many datagrams at once. */
const FLOW_BUFFER = 1024 * 1024

/**
 * TCP and UDP for the programs of this machine. The port `LocalNet` says what each call returns and throws.
 * @param options.lanInterfaces where worlds are announced; when all are loopback, we listen on loopback only
 * @example
 * const localNet = createLocalNet({ clock, lanInterfaces: undefined })
 * const { port, closed } = await localNet.listen([25_565, 0], (stream) => forward(stream), signal)
 */
export function createLocalNet({
  clock,
  lanInterfaces,
}: {
  readonly clock: Clock
  readonly lanInterfaces: readonly string[] | undefined
}): LocalNet {
  const isOwn = createOwnAddresses(clock)
  const everywhere = isLoopbackOnly(networkInterfaces(), lanInterfaces) ? LOOPBACK : EVERY_ADDRESS

  return {
    async listen(ports, onStream, signal, at = 'loopback') {
      signal.throwIfAborted()
      const take = (socket: Socket) => {
        if (isOwn(socket.remoteAddress)) onStream(socketStream(socket))
        else socket.destroy()
      }
      const listener = await firstFree(at === 'loopback' ? LOOPBACK : everywhere, ports, take)
      const closed = untilAborted(signal).then(() => listener.close())
      if (signal.aborted) {
        await closed
        signal.throwIfAborted()
      }
      return { port: listener.port, closed }
    },

    async connect(port, signal, address = LOOPBACK.ipv4) {
      const late = () => new Error(`no connection in ${CONNECT_MS} ms`)
      const connecting = (limited: AbortSignal) => connectHere({ address, port }, limited)
      return socketStream(await withDeadline(clock, CONNECT_MS, signal, late, connecting))
    },

    async listenDatagrams(port, onFlow, signal) {
      if (signal.aborted) return false
      const options = { clock, idleMs: FLOW_IDLE_MS, isAllowed: isOwn }
      const ipv4 = await listenFlows({ address: everywhere.ipv4, port }, onFlow, options)
      if (typeof ipv4 === 'string') return false
      const ipv6 = await listenFlows({ address: everywhere.ipv6, port }, onFlow, options)
      const close = () =>
        Promise.all([ipv4, ipv6].map((listener) => typeof listener !== 'string' && listener.close()))
      // Another program has the IPv6 port, and clients that use `localhost` might reach that one.
      if (ipv6 === 'taken' || signal.aborted) {
        await close()
        return false
      }
      onAbort(signal, () => void close())
      return true
    },

    openDatagrams: (port, address = LOOPBACK.ipv4) => openFlow({ address, port }, clock),
  }
}

async function connectHere(to: { readonly address: string; readonly port: number }, signal: AbortSignal) {
  try {
    return await connectTcp(to, { signal })
  } catch (error) {
    if (signal.aborted || to.address !== LOOPBACK.ipv4) throw error
    // The program may listen in IPv6 only; if it does not, the error of IPv4 is the one to report.
    return await connectTcp({ ...to, address: LOOPBACK.ipv6 }, { signal }).catch(() => {
      throw signal.aborted ? signal.reason : error
    })
  }
}

async function firstFree(
  addresses: ListenAddresses,
  ports: readonly number[],
  onSocket: (socket: Socket) => void,
): Promise<TcpListener> {
  let cause: unknown
  for (const port of ports) {
    try {
      const listener = await listenOnBoth(addresses, port, onSocket)
      if (listener !== undefined) return listener
    } catch (error) {
      cause = error
    }
  }
  throw new ServiceError(
    'unavailable',
    `None of the local ports ${ports.join(', ')} can be used. Close the program that uses them, or choose others.`,
    { cause },
  )
}

/**
 * This machine's addresses where its programs may listen, loopback first. Those that mean nothing without their interface are left out.
 * @example hereAddresses() // ['127.0.0.1', '::1', '192.168.1.7']
 */
export function hereAddresses(): readonly string[] {
  const own = [...ownAddresses(networkInterfaces())].filter((address) => !isLinkLocalIpv6(address))
  return [...new Set([LOOPBACK.ipv4, LOOPBACK.ipv6, ...own])]
}

/**
 * Whether a TCP port of 127.0.0.1 can be listened on: it does so for a moment. Never rejects.
 * @example if (!(await isPortFree(5062))) return finding('api-used', '5062')
 */
export const isPortFree: IsPortFree = (port) =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })

/** A flow to a UDP port of this machine. Only datagrams from that port are received. */
function openFlow(
  { address, port }: { readonly address: string; readonly port: number },
  clock: Clock,
): DatagramFlow {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  let isOpen = true
  // In one turn of the event loop, as a rule; datagrams until then are sent in their order.
  const ready = handled(once(socket, 'connect').then(() => isOpen && enlargeBuffers(socket, FLOW_BUFFER)))
  const put = (bytes: Uint8Array) => isOpen && socket.send(bytes, () => {})
  const end = createFlow((bytes) => void ready.then(() => put(bytes)).catch(() => {}), {
    clock,
    idleMs: undefined,
    onClose() {
      isOpen = false
      socket.close()
    },
  })
  // No program listens on the port yet: the datagram is lost, as datagrams may be.
  socket.on('error', () => {})
  socket.on('message', (bytes) => end.receive(bytes))
  socket.connect(port, address)
  return end.flow
}

/** @returns a function that tells whether an address is one of this machine's. It scans the interfaces at most once a second. */
export function createOwnAddresses(
  clock: Clock,
  scan: () => NetworkInterfaces = networkInterfaces,
): (address: string | undefined) => boolean {
  let known: ReadonlySet<string> = new Set()
  let scannedAt = Number.NEGATIVE_INFINITY

  return (address = '') => {
    if (isOwnAddress(address, known)) return true
    if (clock.now() - scannedAt < RESCAN_MS) return false
    scannedAt = clock.now()
    known = ownAddresses(scan())
    return isOwnAddress(address, known)
  }
}
