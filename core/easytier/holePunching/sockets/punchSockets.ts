import type { Clock } from '#core/clock'
import type { Connection, Transports } from '#core/easytier/transport/transports'
import { createUdpTransport, type UdpTransport } from '#core/easytier/transport/udpTransport'
import { abortReason } from '#core/errors'

/** A socket for punching. It lives as long as somebody uses it, or a link goes over it. */
export type PunchSocket = {
  readonly udp: UdpTransport
  /** Keeps it open until this link has closed. */
  carry(link: Connection): void
  readonly links: number
  /** Nobody uses it any more: closes it, at once or after its last link. */
  release(): void
}

export type PunchSockets = {
  /** Any free port. @throws Error when there are too many, or the signal's reason */
  open(): Promise<PunchSocket>
  /** All or none. */
  openMany(count: number): Promise<readonly PunchSocket[]>
  readonly size: number
  /** Resolves after the signal, when every socket is closed. */
  readonly closed: Promise<void>
}

/** Both roles of one attempt with a symmetric router at once, and some cone attempts beside them. */
const MAX_SOCKETS = 256
/** Of those who punched through this socket; others have no way to it. */
const MAX_LINKS = 8

export function createPunchSockets(options: {
  readonly transports: Pick<Transports, 'openUdp'>
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly signal: AbortSignal
}): PunchSockets {
  const { transports, signal } = options
  const open = new Set<UdpTransport>()
  const opening = new Set<Promise<unknown>>()
  const closed = new Promise<void>((resolve) => {
    const closeAll = async () => {
      await Promise.allSettled(opening)
      for (const udp of open) udp.close()
      await Promise.all([...open].map((udp) => udp.closed))
      resolve()
    }
    if (signal.aborted) void closeAll()
    else signal.addEventListener('abort', () => void closeAll(), { once: true })
  })

  return {
    closed,
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

  async function openOne(): Promise<PunchSocket> {
    if (signal.aborted) throw abortReason(signal)
    if (open.size + opening.size >= MAX_SOCKETS) throw new Error('too many sockets are open for punching')
    const coming = transports.openUdp(0)
    opening.add(coming)
    try {
      const udp = createUdpTransport({ ...options, socket: await coming, maxLinks: MAX_LINKS })
      open.add(udp)
      void udp.closed.then(() => open.delete(udp))
      return punchSocket(udp)
    } finally {
      opening.delete(coming)
    }
  }
}

/** The room's own socket can punch as well; it is never closed here. */
export function ownPunchSocket(udp: UdpTransport): PunchSocket {
  return { udp, carry() {}, links: 1, release() {} }
}

function punchSocket(udp: UdpTransport): PunchSocket {
  let links = 0
  let isReleased = false
  const settle = () => {
    if (isReleased && links === 0) udp.close()
  }
  return {
    udp,
    get links() {
      return links
    },
    carry(link) {
      links += 1
      void link.closed.then(() => {
        links -= 1
        settle()
      })
    },
    release() {
      isReleased = true
      settle()
    },
  }
}
