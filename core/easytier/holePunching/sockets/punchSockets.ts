import type { Clock } from '#core/async/clock'
import { untilAborted } from '#core/async/onAbort'
import type { Connection, Transports } from '#core/easytier/transport/transports'
import { createUdpTransport, type UdpTransport } from '#core/easytier/transport/udpTransport'

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

export class PunchSockets {
  readonly #options: PunchSocketsOptions
  readonly #open = new Set<UdpTransport>()
  readonly #opening = new Set<Promise<unknown>>()
  /** Resolves after the signal, when every socket is closed. */
  readonly closed: Promise<void>

  constructor(options: PunchSocketsOptions) {
    this.#options = options
    this.closed = untilAborted(options.signal).then(() => this.#closeAll())
  }

  get size(): number {
    return this.#open.size + this.#opening.size
  }

  /** On any free port. @throws Error when too many are open, or the signal's reason */
  async open(): Promise<PunchSocket> {
    const { transports, signal } = this.#options
    signal.throwIfAborted()
    if (this.size >= MAX_SOCKETS) throw new Error('too many sockets are open for punching')
    const opening = transports.openUdp(0)
    this.#opening.add(opening)
    try {
      const socket = await opening
      const udp = createUdpTransport({ ...this.#options, socket, maxConnections: MAX_CONNECTIONS })
      this.#open.add(udp)
      void udp.closed.then(() => this.#open.delete(udp))
      return punchSocket(udp)
    } finally {
      this.#opening.delete(opening)
    }
  }

  /** All or none. */
  async openMany(count: number): Promise<readonly PunchSocket[]> {
    const opened = await Promise.allSettled(Array.from({ length: count }, () => this.open()))
    const sockets = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const failed = opened.find((one) => one.status === 'rejected')
    if (!failed) return sockets
    for (const socket of sockets) socket.release()
    throw failed.reason
  }

  async #closeAll(): Promise<void> {
    await Promise.allSettled(this.#opening)
    for (const udp of this.#open) udp.close()
    await Promise.all([...this.#open].map((udp) => udp.closed))
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
