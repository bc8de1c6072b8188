import type { Clock } from '#core/clock'
import { RpcRefusal } from '#core/easytier/rpc/rpcRefusal'
import type { Connection } from '#core/easytier/transport/transports'
import type { UdpTransport } from '#core/easytier/transport/udpTransport'
import { type Endpoint, formatEndpoint } from '#core/easytier/wire/socketAddress'
import { ownPunchSocket, type PunchSocket, type PunchSockets } from './punchSockets'

/** The UDP sockets that others are asked to aim at: the room's own and, where that did not work, a few more. */
export type PunchListeners = {
  /** The room's own. */
  readonly own: PunchSocket
  /**
   * The address of one as the internet sees it.
   * @param isNew another one than before. @throws Error when nobody says the address
   */
  select(isNew: boolean): Promise<Endpoint>
  /** The room's own socket's address, as fresh as of a listener. @throws Error */
  ownAddress(): Promise<Endpoint>
  /** The one with this public address. @throws RpcRefusal when it is none of ours */
  find(mapped: Endpoint): PunchSocket
  /** The one with this port of the machine. */
  ofPort(port: number): PunchSocket | undefined
  /** What STUN servers have just seen of the room's own socket. */
  seen(mapped: Endpoint | undefined): void
  /** How many sockets there are beside the room's own. */
  readonly size: number
}

export type PunchListenersOptions = {
  readonly clock: Clock
  readonly sockets: PunchSockets
  readonly own: UdpTransport
  /** As what the internet sees a socket. @throws Error */
  readonly map: (socket: PunchSocket) => Promise<Endpoint>
  /** Takes the link of somebody who came to a listener. */
  readonly onLink: (link: Connection) => void
}

/** Beside the room's own. */
const MAX_MORE = 3
/** Routers forget a mapping that is not used after 30 s and later: an older answer is asked for again. */
const FRESH_MS = 20_000
/** Without use and links, a listener is closed. */
const IDLE_MS = 60_000

type Listener = {
  readonly socket: PunchSocket
  mapped: Endpoint | undefined
  mappedAt: number
  mapping: Promise<Endpoint> | undefined
  stop: () => void
}

export function createPunchListeners(options: PunchListenersOptions): PunchListeners {
  const { clock, sockets, map } = options
  const own = listenerOf(ownPunchSocket(options.own))
  let more: readonly Listener[] = []

  return {
    own: own.socket,
    async select(isNew) {
      return addressOf(isNew ? await another() : (more.at(-1) ?? own))
    },
    ownAddress: () => addressOf(own),
    find(mapped) {
      const place = formatEndpoint(mapped)
      const found = [own, ...more].find((one) => one.mapped && formatEndpoint(one.mapped) === place)
      if (!found) throw new RpcRefusal('this is no listener of ours')
      keep(found)
      return found.socket
    },
    ofPort: (port) => [own, ...more].find(({ socket }) => socket.udp.port === port)?.socket,
    seen(mapped) {
      own.mapped = mapped
      own.mappedAt = clock.now()
    },
    get size() {
      return more.length
    },
  }

  async function addressOf(listener: Listener): Promise<Endpoint> {
    keep(listener)
    if (listener.mapped && clock.now() - listener.mappedAt < FRESH_MS) return listener.mapped
    listener.mapping ??= map(listener.socket).finally(() => {
      listener.mapping = undefined
    })
    const mapped = await listener.mapping
    listener.mapped = mapped
    listener.mappedAt = clock.now()
    return mapped
  }

  /** Where there are enough, the oldest that carries no link gives way; where all do, the newest does once more. */
  async function another(): Promise<Listener> {
    const oldest = more.find(({ socket }) => socket.links === 0)
    if (more.length >= MAX_MORE) {
      if (!oldest) return more.at(-1) ?? own
      drop(oldest)
    }
    const socket = await sockets.open()
    socket.udp.accept((link) => {
      socket.carry(link)
      options.onLink(link)
    })
    const listener = listenerOf(socket)
    more = [...more, listener]
    void socket.udp.closed.then(() => drop(listener))
    keep(listener)
    return listener
  }

  function keep(listener: Listener): void {
    listener.stop()
    if (listener !== own) listener.stop = clock.after(IDLE_MS, () => drop(listener))
  }

  function drop(listener: Listener): void {
    listener.stop()
    more = more.filter((one) => one !== listener)
    listener.socket.release()
  }
}

function listenerOf(socket: PunchSocket): Listener {
  return {
    socket,
    mapped: undefined,
    mappedAt: Number.NEGATIVE_INFINITY,
    mapping: undefined,
    stop: () => {},
  }
}
