import type { Clock } from '@lantern-room/base/async'
import { untilAborted } from '@lantern-room/base/async'
import type { Connection, Transports } from '#easytier/transport/transports'
import { createUdpTransport, type UdpTransport } from '#easytier/transport/udpTransport'

/** A socket for punching, open until it is released and its last connection has closed. */
export type PunchSocket = {
  readonly udp: UdpTransport
  /** Keeps the socket open until this connection has closed. */
  carry(connection: Connection): void
  readonly connections: number
  /** Closes the socket, at once or after its last connection. */
  release(): void
}

/** Both roles of one attempt with a symmetric router at once, and some cone attempts beside them. */
const MAX_SOCKETS = 256
/** Only members that have punched through can reach the socket. */
const MAX_CONNECTIONS = 8

export type PunchSocketsOptions = {
  readonly transports: Pick<Transports, 'openUdp'>
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly signal: AbortSignal
}

export type PunchSockets = ReturnType<typeof createPunchSockets>

export function createPunchSockets(options: PunchSocketsOptions) {
  const { transports, clock, randomBytes, signal } = options
  const opened = new Set<UdpTransport>()
  const opening = new Set<Promise<unknown>>()

  return {
    /** Resolves after the signal, when every socket is closed. */
    closed: untilAborted(signal).then(closeAll),
    open,
    openMany: (count: number): Promise<readonly PunchSocket[]> =>
      allOrNone(Array.from({ length: count }, open)),
  }

  /** On any free port. @throws Error when too many are open, or the signal's reason */
  async function open(): Promise<PunchSocket> {
    signal.throwIfAborted()
    if (opened.size + opening.size >= MAX_SOCKETS) throw new Error('too many sockets are open for punching')
    const next = transports.openUdp(0)
    opening.add(next)
    try {
      const socket = await next
      const udp = createUdpTransport({ socket, clock, randomBytes, maxConnections: MAX_CONNECTIONS })
      opened.add(udp)
      void udp.closed.then(() => opened.delete(udp))
      return punchSocket(udp)
    } finally {
      opening.delete(next)
    }
  }

  async function closeAll(): Promise<void> {
    await Promise.allSettled(opening)
    for (const udp of opened) udp.close()
    await Promise.all([...opened].map((udp) => udp.closed))
  }
}

/** Releases the others when one cannot be opened. @throws why that one cannot */
async function allOrNone(opening: readonly Promise<PunchSocket>[]): Promise<readonly PunchSocket[]> {
  const results = await Promise.allSettled(opening)
  const failed = results.find((one) => one.status === 'rejected')
  const sockets = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (!failed) return sockets
  for (const socket of sockets) socket.release()
  throw failed.reason
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
