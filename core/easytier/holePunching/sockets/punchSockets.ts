import type { Clock } from '#core/async/clock'
import { createDeferred } from '#core/async/deferred'
import { onAbort } from '#core/async/onAbort'
import type { Connection, Transports } from '#core/easytier/transport/transports'
import { createUdpTransport, type UdpTransport } from '#core/easytier/transport/udpTransport'
import { abortReason } from '#core/errors'

/** A socket for punching, open until it is released and its last connection has closed. */
export type PunchSocket = {
  readonly udp: UdpTransport
  /** Keeps the socket open until this connection has closed. */
  carry(connection: Connection): void
  /** How many connections it carries. */
  readonly connections: number
  /** Closes the socket, at once or after its last connection. */
  release(): void
}

export type PunchSockets = {
  /** On any free port. @throws Error when too many are open, or the signal's reason */
  open(): Promise<PunchSocket>
  /** All or none. */
  openMany(count: number): Promise<readonly PunchSocket[]>
  readonly size: number
  /** Resolves after the signal, when every socket is closed. */
  readonly closed: Promise<void>
}

/** Both roles of one attempt with a symmetric router at once, and some cone attempts beside them. */
const MAX_SOCKETS = 256
/** Only members that have punched through can reach the socket. */
const MAX_CONNECTIONS = 8

export function createPunchSockets(options: {
  readonly transports: Pick<Transports, 'openUdp'>
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly signal: AbortSignal
}): PunchSockets {
  const { transports, signal } = options
  const open = new Set<UdpTransport>()
  const opening = new Set<Promise<unknown>>()
  const closed = createDeferred()
  onAbort(signal, () => void closeAll().then(closed.resolve))

  return {
    closed: closed.promise,
    get size() {
      return open.size + opening.size
    },
    open: openOne,
    async openMany(count) {
      const opened = await Promise.allSettled(Array.from({ length: count }, openOne))
      const sockets = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const failed = opened.find((one) => one.status === 'rejected')
      if (!failed) return sockets
      for (const socket of sockets) socket.release()
      throw failed.reason
    },
  }

  async function closeAll(): Promise<void> {
    await Promise.allSettled(opening)
    for (const udp of open) udp.close()
    await Promise.all([...open].map((udp) => udp.closed))
  }

  async function openOne(): Promise<PunchSocket> {
    if (signal.aborted) throw abortReason(signal)
    if (open.size + opening.size >= MAX_SOCKETS) throw new Error('too many sockets are open for punching')
    const socket = transports.openUdp(0)
    opening.add(socket)
    try {
      const udp = createUdpTransport({ ...options, socket: await socket, maxConnections: MAX_CONNECTIONS })
      open.add(udp)
      void udp.closed.then(() => open.delete(udp))
      return punchSocket(udp)
    } finally {
      opening.delete(socket)
    }
  }
}

/** The network's own socket punches as well, and is never closed here. */
export function ownPunchSocket(udp: UdpTransport): PunchSocket {
  return { udp, carry() {}, connections: 1, release() {} }
}

function punchSocket(udp: UdpTransport): PunchSocket {
  let connections = 0
  let isReleased = false
  const closeIfUnused = () => {
    if (isReleased && connections === 0) udp.close()
  }
  return {
    udp,
    get connections() {
      return connections
    },
    carry(connection) {
      connections += 1
      void connection.closed.then(() => {
        connections -= 1
        closeIfUnused()
      })
    },
    release() {
      isReleased = true
      closeIfUnused()
    },
  }
}
