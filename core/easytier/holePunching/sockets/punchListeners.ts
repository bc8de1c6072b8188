import type { Clock } from '#core/async/clock'
import { RpcRefusal } from '#core/easytier/rpc/rpcMessage'
import type { Connection } from '#core/easytier/transport/transports'
import type { UdpTransport } from '#core/easytier/transport/udpTransport'
import { type Endpoint, formatEndpoint } from '#core/easytier/wire/socketAddress'
import { ownPunchSocket, type PunchSocket, type PunchSockets } from './punchSockets'

/** The UDP sockets that other members send to: the network's own and, where that one failed, a few more. */
export type PunchListeners = {
  /** The network's own. */
  readonly own: PunchSocket
  /**
   * Picks a listener.
   * @param isNew another one than before
   * @returns its public address. @throws Error when no STUN server answers
   */
  select(isNew: boolean): Promise<Endpoint>
  /** The public address of the network's own socket. @throws Error when no STUN server answers */
  ownAddress(): Promise<Endpoint>
  /** The listener with this public address. @throws RpcRefusal when there is none */
  find(mapped: Endpoint): PunchSocket
  /** The listener with this local port. */
  ofPort(port: number): PunchSocket | undefined
  /** Stores the public address of the network's own socket, as just reported by STUN servers. */
  setOwnAddress(mapped: Endpoint | undefined): void
  /** The number of listeners beside the network's own. */
  readonly size: number
}

export type PunchListenersOptions = {
  readonly clock: Clock
  readonly sockets: PunchSockets
  readonly own: UdpTransport
  /** The socket's public address. @throws Error */
  readonly mappedAddressOf: (socket: PunchSocket) => Promise<Endpoint>
  /** Takes a connection that was opened to a listener. */
  readonly onConnection: (connection: Connection) => void
}

/** Beside the network's own. */
const MAX_EXTRA = 3
/** Routers forget an unused mapping after 30 s or later: an older address is queried again. */
const FRESH_MS = 20_000
/** A listener without use and connections is closed. */
const IDLE_MS = 60_000

type Listener = {
  readonly socket: PunchSocket
  mapped: Endpoint | undefined
  mappedAt: number
  /** The query in progress. */
  query: Promise<Endpoint> | undefined
  cancelTimer: () => void
}

export function createPunchListeners(options: PunchListenersOptions): PunchListeners {
  const { clock, sockets } = options
  const own = listenerOf(ownPunchSocket(options.own))
  let extra: readonly Listener[] = []

  return {
    own: own.socket,
    async select(isNew) {
      return addressOf(isNew ? await addListener() : (extra.at(-1) ?? own))
    },
    ownAddress: () => addressOf(own),
    find(mapped) {
      const text = formatEndpoint(mapped)
      const found = [own, ...extra].find((one) => one.mapped && formatEndpoint(one.mapped) === text)
      if (!found) throw new RpcRefusal('this is no listener of ours')
      restartTimer(found)
      return found.socket
    },
    ofPort: (port) => [own, ...extra].find(({ socket }) => socket.udp.port === port)?.socket,
    setOwnAddress(mapped) {
      own.mapped = mapped
      own.mappedAt = clock.now()
    },
    get size() {
      return extra.length
    },
  }

  async function addressOf(listener: Listener): Promise<Endpoint> {
    restartTimer(listener)
    if (listener.mapped && clock.now() - listener.mappedAt < FRESH_MS) return listener.mapped
    listener.query ??= options.mappedAddressOf(listener.socket).finally(() => {
      listener.query = undefined
    })
    const mapped = await listener.query
    listener.mapped = mapped
    listener.mappedAt = clock.now()
    return mapped
  }

  /** When there are enough, replaces the oldest that carries no connection; when all carry one, returns the newest. */
  async function addListener(): Promise<Listener> {
    const oldest = extra.find(({ socket }) => socket.connections === 0)
    if (extra.length >= MAX_EXTRA) {
      if (!oldest) return extra.at(-1) ?? own
      drop(oldest)
    }
    const socket = await sockets.open()
    socket.udp.accept((connection) => {
      socket.carry(connection)
      options.onConnection(connection)
    })
    const listener = listenerOf(socket)
    extra = [...extra, listener]
    void socket.udp.closed.then(() => drop(listener))
    restartTimer(listener)
    return listener
  }

  function restartTimer(listener: Listener): void {
    listener.cancelTimer()
    if (listener !== own) listener.cancelTimer = clock.after(IDLE_MS, () => drop(listener))
  }

  function drop(listener: Listener): void {
    listener.cancelTimer()
    extra = extra.filter((one) => one !== listener)
    listener.socket.release()
  }
}

function listenerOf(socket: PunchSocket): Listener {
  return {
    socket,
    mapped: undefined,
    mappedAt: Number.NEGATIVE_INFINITY,
    query: undefined,
    cancelTimer: () => {},
  }
}
