import type { Clock } from '@lantern-room/base/async'
import { RpcRefusal } from '#easytier/rpc/rpcMessage'
import type { Connection } from '#easytier/transport/transports'
import type { UdpTransport } from '#easytier/transport/udpTransport'
import { type Endpoint, formatEndpoint } from '#easytier/wire/socketAddress'
import { ownPunchSocket, type PunchSocket, type PunchSockets } from './punchSockets'

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
  query: Promise<Endpoint> | undefined
  cancelTimer: () => void
}

export type PunchListeners = ReturnType<typeof createPunchListeners>

/** The UDP sockets that other members send to: the network's own and, where that one failed, a few more. */
export function createPunchListeners(options: PunchListenersOptions) {
  const { clock } = options
  const own = listenerOf(ownPunchSocket(options.own))
  let extra: readonly Listener[] = []
  let adding: Promise<unknown> = Promise.resolve()
  const all = () => [own, ...extra]
  const newest = () => extra.at(-1) ?? own

  return {
    own: own.socket,
    /**
     * Picks a listener.
     * @param isNew another one than before
     * @returns its public address. @throws Error when no STUN server answers
     */
    select: async (isNew: boolean): Promise<Endpoint> => addressOf(isNew ? await addListener() : newest()),
    /** The public address of the network's own socket. @throws Error when no STUN server answers */
    ownAddress: (): Promise<Endpoint> => addressOf(own),
    /** The listener with this public address. @throws RpcRefusal when there is none */
    find(mapped: Endpoint): PunchSocket {
      const text = formatEndpoint(mapped)
      const found = all().find((one) => one.mapped && formatEndpoint(one.mapped) === text)
      if (!found) throw new RpcRefusal('this is no listener of ours')
      restartTimer(found)
      return found.socket
    },
    ofPort: (port: number): PunchSocket | undefined =>
      all().find(({ socket }) => socket.udp.port === port)?.socket,
    /** Stores the public address of the network's own socket, as just reported by STUN servers. */
    setOwnAddress(mapped: Endpoint | undefined): void {
      own.mapped = mapped
      own.mappedAt = clock.now()
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

  /** One after the other: several that are opened at once would not count each other. */
  function addListener(): Promise<Listener> {
    const added = adding.then(openListener)
    adding = added.catch(() => undefined)
    return added
  }

  /** When there are enough, replaces the oldest that carries no connection; when all carry one, returns the newest. */
  async function openListener(): Promise<Listener> {
    const oldest = extra.find(({ socket }) => socket.connections === 0)
    if (extra.length >= MAX_EXTRA) {
      if (!oldest) return newest()
      drop(oldest)
    }
    const socket = await options.sockets.open()
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
