import type { Clock } from '#core/async/clock'
import { within } from '#core/async/deadline'
import type { ByteStream } from '#core/byteStream'
import { equalBytes } from '#core/bytes'
import { abortReason } from '#core/errors'
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

/** A guest's client of the room protocol that can reconnect with a new stream. Every call may throw RoomFailure. */
export type HostLink = {
  /**
   * Opens a new stream, drops the old one and registers with the host, which must be the same as before.
   * @param patienceMs how long to dial while the host is seen; 10 s by default
   */
  connect(patienceMs?: number): Promise<HostedWorld>
  /** Says that this player leaves, where the host understands it. Takes 0.5 s at most, and never rejects. */
  bye(): Promise<void>
  /** Drops the stream; pending calls reject at once. */
  drop(): void
  world(): Promise<HostedWorld>
  profiles(): Promise<readonly Profile[]>
  /** The host's ports beside the world's; none where the host does not know of such. */
  extraPorts(): Promise<readonly ExtraPort[]>
  /** Keeps the player registered and fetches what may have changed. */
  beat(): Promise<Beat>
}

export type Beat = {
  readonly profiles: readonly Profile[]
  readonly world: HostedWorld
  readonly extraPorts: readonly ExtraPort[]
}

/** After this the guest reconnects; the protocol's own limit of 64 s is for idle connections. */
const ANSWER_MS = 10_000

export function createHostLink(dependencies: {
  readonly connection: GuestConnection
  readonly room: RoomCode
  readonly player: Player
  /** The key by which we would host this room. */
  readonly ownHostKey: Uint8Array
  /** Shown to the host of a private room. */
  readonly guestProof: Uint8Array
  readonly clock: Clock
  readonly signal: AbortSignal
}): HostLink {
  const { connection, room, player, ownHostKey, guestProof, clock, signal } = dependencies
  let current: ScaffoldingClient | undefined
  let drop = () => {}
  let hasConnected = false
  let knowsExtraPorts = false

  return {
    drop: () => drop(),
    async bye() {
      if (!current?.supportsPipelining) return
      await within(clock, BYE_MS, current.bye(player.machineId), lost).catch(() => undefined)
    },
    async connect(patienceMs) {
      drop()
      current = undefined
      const controller = new AbortController()
      drop = () => controller.abort(lost())
      const own = AbortSignal.any([signal, controller.signal])
      const { roomPort, isOurs } = connection.host
      const stream = await connection.dial(roomPort, own, patienceMs)
      return inTime(greet(stream, isOurs, own))
    },
    world: () => inTime(client().serverPort()),
    profiles: () => inTime(client().profiles()),
    extraPorts: () => inTime(extraPortsOf(client())),
    beat: () => inTime(beat(client())),
  }

  /** Sent at once, so that a host that supports pipelining answers in one packet. */
  async function beat(host: ScaffoldingClient): Promise<Beat> {
    const [, profiles, world, extraPorts] = await Promise.all([
      host.playerPing(player),
      host.profiles(),
      host.serverPort(),
      extraPortsOf(host),
      followSecret(host),
    ])
    return { profiles, world, extraPorts }
  }

  /** In a private room: moves with the host to the network with the secret that it has drawn. */
  async function followSecret(host: ScaffoldingClient): Promise<void> {
    if (!connection.follow || !host.supportsPipelining) return
    const secret = await host.network(guestProof)
    if (secret) connection.follow(secret)
  }

  async function extraPortsOf(host: ScaffoldingClient): Promise<readonly ExtraPort[]> {
    return knowsExtraPorts ? host.extraPorts() : []
  }

  /** @param own aborts when this stream is dropped, so that one that opens late does not replace its successor */
  async function greet(stream: ByteStream, isOurs: boolean, own: AbortSignal): Promise<HostedWorld> {
    const opened = createScaffoldingClient(stream, { clock, signal: own, supportsPipelining: isOurs })
    if (own.aborted) throw abortReason(own)
    current = opened
    // Before the player registers: the host may let in only those whom it knows.
    const proved = followSecret(opened)
    const registered = handshake(opened, player)
    if (!opened.supportsPipelining) await registered
    // The connection sees to it that a host whose key is known has proved it before anything was sent.
    const isAsked = !hasConnected && isOurs && connection.hostKey() === undefined
    const [{ world, protocols }, shown] = await Promise.all([
      registered,
      isAsked ? opened.identify(room) : undefined,
      proved,
      followSecret(opened),
    ])
    const key = shown ?? connection.hostKey()
    if (key && equalBytes(key, ownHostKey)) throw await ownRoom(opened)
    if (!hasConnected && !connection.checkHost(key)) throw new RoomFailure('host-changed', HOST_CHANGED)
    hasConnected = true
    knowsExtraPorts = protocols.includes(PORTS_COMMAND)
    return world
  }

  /** Takes the player off the list again. */
  async function ownRoom(host: ScaffoldingClient): Promise<RoomFailure> {
    await host.bye(player.machineId).catch(() => undefined)
    return new RoomFailure('own-room', 'This room is hosted by yourself, on this machine.')
  }

  function client(): ScaffoldingClient {
    if (!current) throw lost()
    return current
  }

  async function inTime<T>(work: Promise<T>): Promise<T> {
    try {
      return await within(clock, ANSWER_MS, work, lost)
    } catch (error) {
      drop()
      throw error
    }
  }
}

function lost(): RoomFailure {
  return new RoomFailure('connection-lost', 'The host does not answer.')
}
