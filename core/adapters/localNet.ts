import { ServiceError } from '../errors'
import type { ByteStream, Clock, LocalNet } from '../room/ports'
import { connectTcp } from './net/connectTcp'
import { listenFlows } from './net/datagramFlows'
import { openFlow } from './net/outgoingFlow'
import { streamOfSocket } from './net/socketStream'
import { listenOnLoopback, type TcpListener } from './net/tcpListener'

const CONNECT_MS = 5000
const FLOW_IDLE_MS = 180_000

/** TCP and UDP on loopback. */
export function createLocalNet({ clock }: { readonly clock: Clock }): LocalNet {
  return {
    async listen(ports, onStream, signal) {
      signal.throwIfAborted()
      const listener = await firstFree(ports, (stream) => onStream(stream))
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
        return streamOfSocket(await connectTcp({ host: '127.0.0.1', port }, CONNECT_MS, signal))
      } catch (error) {
        const left = CONNECT_MS - (clock.now() - startedAt)
        if (signal?.aborted || left <= 0) throw error
        // A program may listen in IPv6 alone; when it does not, the first refusal is the one to tell.
        const socket = await connectTcp({ host: '::1', port }, left, signal).catch(() => undefined)
        signal?.throwIfAborted()
        if (socket === undefined) throw error
        return streamOfSocket(socket)
      }
    },

    async listenDatagrams(port, onFlow, signal) {
      if (signal.aborted) return false
      const options = { clock, idleMs: FLOW_IDLE_MS }
      const ipv4 = await listenFlows({ address: '127.0.0.1', port }, onFlow, options)
      if (typeof ipv4 === 'string') return false
      const ipv6 = await listenFlows({ address: '::1', port }, onFlow, options)
      const close = () =>
        Promise.all([ipv4, ipv6].map((listener) => typeof listener !== 'string' && listener.close()))
      // Taken by another program, which some clients would reach instead: they see both as the same place.
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
  ports: readonly number[],
  onStream: (stream: ByteStream) => void,
): Promise<TcpListener> {
  let cause: unknown
  for (const port of ports) {
    try {
      const listener = await listenOnLoopback(port, (socket) => onStream(streamOfSocket(socket)))
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
    const act = () => void close().then(() => resolve())
    if (signal.aborted) act()
    else signal.addEventListener('abort', act, { once: true })
  })
}
