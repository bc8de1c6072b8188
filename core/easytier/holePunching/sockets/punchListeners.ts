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

/** The UDP sockets that other members send to: the network's own and, where that one failed, a few more. */
export class PunchListeners {
  readonly #options: PunchListenersOptions
  readonly #own: Listener
  #extra: readonly Listener[] = []
  /** Settles when the last one that was asked for is open, or has failed. */
  #adding: Promise<unknown> = Promise.resolve()

  constructor(options: PunchListenersOptions) {
    this.#options = options
    this.#own = listenerOf(ownPunchSocket(options.own))
  }

  /** The network's own socket. */
  get own(): PunchSocket {
    return this.#own.socket
  }

  /**
   * Picks a listener.
   * @param isNew another one than before
   * @returns its public address. @throws Error when no STUN server answers
   */
  async select(isNew: boolean): Promise<Endpoint> {
    return this.#addressOf(isNew ? await this.#addListener() : this.#newest())
  }

  /** The public address of the network's own socket. @throws Error when no STUN server answers */
  ownAddress(): Promise<Endpoint> {
    return this.#addressOf(this.#own)
  }

  /** The listener with this public address. @throws RpcRefusal when there is none */
  find(mapped: Endpoint): PunchSocket {
    const text = formatEndpoint(mapped)
    const found = this.#all().find((one) => one.mapped && formatEndpoint(one.mapped) === text)
    if (!found) throw new RpcRefusal('this is no listener of ours')
    this.#restartTimer(found)
    return found.socket
  }

  ofPort(port: number): PunchSocket | undefined {
    return this.#all().find(({ socket }) => socket.udp.port === port)?.socket
  }

  /** Stores the public address of the network's own socket, as just reported by STUN servers. */
  setOwnAddress(mapped: Endpoint | undefined): void {
    this.#own.mapped = mapped
    this.#own.mappedAt = this.#options.clock.now()
  }

  #all(): readonly Listener[] {
    return [this.#own, ...this.#extra]
  }

  #newest(): Listener {
    return this.#extra.at(-1) ?? this.#own
  }

  async #addressOf(listener: Listener): Promise<Endpoint> {
    const { clock, mappedAddressOf } = this.#options
    this.#restartTimer(listener)
    if (listener.mapped && clock.now() - listener.mappedAt < FRESH_MS) return listener.mapped
    listener.query ??= mappedAddressOf(listener.socket).finally(() => {
      listener.query = undefined
    })
    const mapped = await listener.query
    listener.mapped = mapped
    listener.mappedAt = clock.now()
    return mapped
  }

  /** One after the other: several that are opened at once would not count each other. */
  #addListener(): Promise<Listener> {
    const added = this.#adding.then(() => this.#openListener())
    this.#adding = added.catch(() => undefined)
    return added
  }

  /** When there are enough, replaces the oldest that carries no connection; when all carry one, returns the newest. */
  async #openListener(): Promise<Listener> {
    const { sockets, onConnection } = this.#options
    const oldest = this.#extra.find(({ socket }) => socket.connections === 0)
    if (this.#extra.length >= MAX_EXTRA) {
      if (!oldest) return this.#newest()
      this.#drop(oldest)
    }
    const socket = await sockets.open()
    socket.udp.accept((connection) => {
      socket.carry(connection)
      onConnection(connection)
    })
    const listener = listenerOf(socket)
    this.#extra = [...this.#extra, listener]
    void socket.udp.closed.then(() => this.#drop(listener))
    this.#restartTimer(listener)
    return listener
  }

  #restartTimer(listener: Listener): void {
    listener.cancelTimer()
    if (listener === this.#own) return
    listener.cancelTimer = this.#options.clock.after(IDLE_MS, () => this.#drop(listener))
  }

  #drop(listener: Listener): void {
    listener.cancelTimer()
    this.#extra = this.#extra.filter((one) => one !== listener)
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
