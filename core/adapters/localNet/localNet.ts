import { createServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Clock } from '#core/async/clock'
import { onAbort } from '#core/async/onAbort'
import { ServiceError } from '#core/errors'
import type { IsPortFree, LocalNet } from '#core/room/ports'
import { connectTcp } from '../network/connectTcp'
import { isLoopbackOnly } from '../network/networkInterfaces'
import { socketStream } from '../network/socketStream'
import { listenFlows } from './listenFlows'
import { EVERY_ADDRESS, type ListenAddresses, LOOPBACK, listenOnBoth, type TcpListener } from './listenOnBoth'
import { openFlow } from './openFlow'
import { createOwnAddresses } from './ownAddresses'

const CONNECT_MS = 5000
const FLOW_IDLE_MS = 180_000

/**
 * TCP and UDP for the programs of this machine.
 * @param options.lanInterfaces where worlds are announced; when all are loopback, we listen on loopback only
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
      const closed = afterAbort(signal, () => listener.close())
      if (signal.aborted) {
        await closed
        signal.throwIfAborted()
      }
      return { port: listener.port, closed }
    },

    async connect(port, signal) {
      const startedAt = clock.now()
      try {
        return socketStream(
          await connectTcp({ address: '127.0.0.1', port }, { timeoutMs: CONNECT_MS, signal }),
        )
      } catch (error) {
        const left = CONNECT_MS - (clock.now() - startedAt)
        if (signal?.aborted || left <= 0) throw error
        // The program may listen in IPv6 only; if it does not, the error of IPv4 is the one to report.
        const socket = await connectTcp({ address: '::1', port }, { timeoutMs: left, signal }).catch(
          () => undefined,
        )
        signal?.throwIfAborted()
        if (socket === undefined) throw error
        return socketStream(socket)
      }
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
      void afterAbort(signal, close)
      return true
    },

    openDatagrams: (port) => openFlow(port, clock),
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

/** Closes when the signal aborts, at once when it has already. */
function afterAbort(signal: AbortSignal, close: () => Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, () => void close().then(() => resolve()))
  })
}

/** Listens on the port for a moment. */
export const isPortFree: IsPortFree = (port) =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
