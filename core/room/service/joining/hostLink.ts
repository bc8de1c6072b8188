import type { Clock } from '#core/async/clock'
import { within } from '#core/async/deadline'
import type { ByteStream } from '#core/byteStream'
import { equalBytes } from '#core/bytes'
import type { ExtraPort } from '../../extraPorts'
import { HOST_CHANGED, RoomFailure } from '../../failure'
import type { Player, Profile } from '../../profiles'
import type { RoomCode } from '../../roomCode'
import type { GuestConnection } from '../../roomNetwork'
import {
  createScaffoldingClient,
  type HostedWorld,
  handshake,
  type ScaffoldingClient,
} from '../../scaffolding/client'
import { BYE_MS } from '../../scaffolding/goodbye'
import { PORTS_COMMAND } from '../../scaffolding/lanternCommands'

/** After this the guest reconnects; the protocol's own limit of 64 s is for idle connections. */
const ANSWER_MS = 10_000

export type HostLinkDependencies = {
  readonly connection: GuestConnection
  readonly room: RoomCode
  readonly player: Player
  /** The key by which we would host this room. */
  readonly ownHostKey: Uint8Array
  /** Shown to the host of a private room. */
  readonly guestProof: Uint8Array
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** A guest's client of the room protocol that can reconnect with a new stream. Every call may throw RoomFailure. */
export class HostLink {
  readonly #dependencies: HostLinkDependencies
  #current: ScaffoldingClient | undefined
  /** Aborts when the stream is dropped. */
  #stream = new AbortController()
  #hasConnected = false
  #knowsExtraPorts = false

  constructor(dependencies: HostLinkDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Opens a new stream, drops the old one and registers with the host, which must be the same as before.
   * @param patienceMs how long to dial while the host is seen; 10 s by default
   */
  async connect(patienceMs?: number): Promise<HostedWorld> {
    const { connection, signal } = this.#dependencies
    this.drop()
    this.#current = undefined
    this.#stream = new AbortController()
    const own = AbortSignal.any([signal, this.#stream.signal])
    const { roomPort, isOurs } = connection.host
    const stream = await connection.dial(roomPort, own, patienceMs)
    return this.#inTime(this.#greet(stream, isOurs, own))
  }

  /** Says that this player leaves, where the host understands it. Takes 0.5 s at most, and never rejects. */
  async bye(): Promise<void> {
    const { clock, player } = this.#dependencies
    if (!this.#current?.supportsPipelining) return
    await within(clock, BYE_MS, this.#current.bye(player.machineId), lost).catch(() => undefined)
  }

  /** Drops the stream; pending calls reject at once. */
  drop(): void {
    this.#stream.abort(lost())
  }

  async world(): Promise<HostedWorld> {
    return this.#inTime(this.#client().serverPort())
  }

  async profiles(): Promise<readonly Profile[]> {
    return this.#inTime(this.#client().profiles())
  }

  /** The host's ports beside the world's; none where the host does not know of such. */
  async extraPorts(): Promise<readonly ExtraPort[]> {
    return this.#inTime(this.#extraPortsOf(this.#client()))
  }

  /** Keeps the player registered and fetches what may have changed. */
  async beat() {
    return this.#inTime(this.#beat(this.#client()))
  }

  /** Sent at once, so that a host that supports pipelining answers in one packet. */
  async #beat(host: ScaffoldingClient) {
    const [, profiles, world, extraPorts] = await Promise.all([
      host.playerPing(this.#dependencies.player),
      host.profiles(),
      host.serverPort(),
      this.#extraPortsOf(host),
      this.#followSecret(host),
    ])
    return { profiles, world, extraPorts }
  }

  /** In a private room: moves with the host to the network with the secret that it has drawn. */
  async #followSecret(host: ScaffoldingClient): Promise<void> {
    const { connection, guestProof } = this.#dependencies
    if (!connection.follow || !host.supportsPipelining) return
    const secret = await host.network(guestProof)
    if (secret) connection.follow(secret)
  }

  async #extraPortsOf(host: ScaffoldingClient): Promise<readonly ExtraPort[]> {
    return this.#knowsExtraPorts ? host.extraPorts() : []
  }

  /** @param own aborts when this stream is dropped, so that one that opens late does not replace its successor */
  async #greet(stream: ByteStream, isOurs: boolean, own: AbortSignal): Promise<HostedWorld> {
    const { connection, room, player, clock } = this.#dependencies
    const opened = createScaffoldingClient(stream, { clock, signal: own, supportsPipelining: isOurs })
    own.throwIfAborted()
    this.#current = opened
    // Before the player registers: the host may let in only those whom it knows.
    const proved = this.#followSecret(opened)
    const registered = handshake(opened, player)
    if (!opened.supportsPipelining) await registered
    // The connection sees to it that a host whose key is known has proved it before anything was sent.
    const isAsked = !this.#hasConnected && isOurs && connection.hostKey() === undefined
    const [{ world, protocols }, shown] = await Promise.all([
      registered,
      isAsked ? opened.identify(room) : undefined,
      proved,
      this.#followSecret(opened),
    ])
    await this.#checkHost(opened, shown ?? connection.hostKey())
    this.#knowsExtraPorts = protocols.includes(PORTS_COMMAND)
    return world
  }

  /** @throws RoomFailure `own-room`, `host-changed` */
  async #checkHost(host: ScaffoldingClient, key: Uint8Array | undefined): Promise<void> {
    const { connection, player, ownHostKey } = this.#dependencies
    if (key && equalBytes(key, ownHostKey)) {
      // Takes the player off the list again.
      await host.bye(player.machineId).catch(() => undefined)
      throw new RoomFailure('own-room', 'This room is hosted by yourself, on this machine.')
    }
    if (!this.#hasConnected && !connection.checkHost(key)) throw new RoomFailure('host-changed', HOST_CHANGED)
    this.#hasConnected = true
  }

  #client(): ScaffoldingClient {
    if (!this.#current) throw lost()
    return this.#current
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    try {
      return await within(this.#dependencies.clock, ANSWER_MS, work, lost)
    } catch (error) {
      this.drop()
      throw error
    }
  }
}

function lost(): RoomFailure {
  return new RoomFailure('connection-lost', 'The host does not answer.')
}
