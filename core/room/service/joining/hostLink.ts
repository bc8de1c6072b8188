import { type Clock, sleep } from '#core/async/clock'
import { within } from '#core/async/deadline'
import type { ByteStream } from '#core/byteStream'
import { equalBytes } from '#core/bytes'
import type { Log } from '#core/log'
import { HOST_CHANGED, RoomFailure } from '../../failure'
import type { Player } from '../../profiles'
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
/** A pause between two connections for the host’s farewell. */
const AGAIN_MS = 1000
const REMOVED_YOU = 'The host has removed you from the room.'

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

export type HostLink = ReturnType<typeof createHostLink>

/** A guest's client of the room protocol that can reconnect with a new stream. Every call may throw RoomFailure. */
export function createHostLink(dependencies: HostLinkDependencies) {
  const { connection, room, player, clock } = dependencies
  let current: ScaffoldingClient | undefined
  /** Aborts when the stream is dropped. */
  let streaming = new AbortController()
  let hasConnected = false
  let knowsExtraPorts = false

  return {
    /**
     * Opens a new stream, drops the old one and registers with the host, which must be the same as before.
     * @param patienceMs how long to dial while the host is seen; 10 s by default
     */
    async connect(patienceMs?: number): Promise<HostedWorld> {
      drop()
      current = undefined
      streaming = new AbortController()
      const own = AbortSignal.any([dependencies.signal, streaming.signal])
      const { roomPort, isOurs } = connection.host
      const stream = await connection.dial(roomPort, own, patienceMs)
      return inTime(greet(stream, isOurs, own))
    },
    /** Says that this player leaves, where the host understands it. Takes 0.5 s at most, and never rejects. */
    async bye(): Promise<void> {
      if (!current?.supportsPipelining) return
      await within(clock, BYE_MS, current.bye(player.machineId), lost).catch(() => undefined)
    },
    drop,
    world: async (): Promise<HostedWorld> => inTime(client().serverPort()),
    /** Keeps the player registered and fetches what may have changed. */
    beat: async () => inTime(beat(client())),
  }

  /** Drops the stream; pending calls reject at once. */
  function drop(): void {
    streaming.abort(lost())
  }

  /** Sent at once, so that a host that supports pipelining answers in one packet. */
  async function beat(host: ScaffoldingClient) {
    const [, profiles, world, extraPorts] = await Promise.all([
      host.playerPing(player),
      host.profiles(),
      host.serverPort(),
      // None where the host does not know of such.
      knowsExtraPorts ? host.extraPorts() : [],
      followSecret(host, dependencies),
    ])
    return { profiles, world, extraPorts }
  }

  /** @param own aborts when this stream is dropped, so that one that opens late does not replace its successor */
  async function greet(stream: ByteStream, isOurs: boolean, own: AbortSignal): Promise<HostedWorld> {
    const opened = createScaffoldingClient(stream, { clock, signal: own, supportsPipelining: isOurs })
    own.throwIfAborted()
    current = opened
    // Before the player registers: the host may let in only those whom it knows.
    const proved = followSecret(opened, dependencies)
    const registered = handshake(opened, player)
    if (!opened.supportsPipelining) await registered
    // The connection sees to it that a host whose key is known has proved it before anything was sent.
    const isAsked = !hasConnected && isOurs && connection.hostKey() === undefined
    const [{ world, protocols }, shown] = await Promise.all([
      registered,
      isAsked ? opened.identify(room) : undefined,
      proved,
      followSecret(opened, dependencies),
    ])
    await checkHost(opened, shown ?? connection.hostKey())
    knowsExtraPorts = protocols.includes(PORTS_COMMAND)
    return world
  }

  /** @throws RoomFailure `own-room`, `host-changed` */
  async function checkHost(host: ScaffoldingClient, key: Uint8Array | undefined): Promise<void> {
    if (key && equalBytes(key, dependencies.ownHostKey)) {
      // Takes the player off the list again.
      await host.bye(player.machineId).catch(() => undefined)
      throw new RoomFailure('own-room', 'This room is hosted by yourself, on this machine.')
    }
    if (!hasConnected && !connection.checkHost(key)) throw new RoomFailure('host-changed', HOST_CHANGED)
    hasConnected = true
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

/** In a private room: moves with the host to the network with the secret that it has drawn. */
async function followSecret(
  host: ScaffoldingClient,
  { connection, guestProof }: HostLinkDependencies,
): Promise<void> {
  if (!connection.follow || !host.supportsPipelining) return
  const secret = await host.network(guestProof)
  if (secret) connection.follow(secret)
}

function lost(): RoomFailure {
  return new RoomFailure('connection-lost', 'The host does not answer.')
}

/**
 * Waits for the host's farewell on a separate connection, which is reopened when it ends; hosts of other programs send none.
 * @throws RoomFailure `room-closed` when the host closes the room, `removed` when it removes this guest; the signal's reason
 */
export async function untilRoomCloses(
  { connection, clock, log }: { connection: GuestConnection; clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    const news = await listen().catch((error: unknown) => {
      signal.throwIfAborted()
      log.debug('the host’s farewell cannot be heard', { cause: String(error) })
      return 'unsupported'
    })
    if (news === 'closing') throw new RoomFailure('room-closed', 'The host has closed the room.')
    if (news === 'removed') throw new RoomFailure('removed', REMOVED_YOU)
    await sleep(clock, AGAIN_MS, signal)
  }

  async function listen(): Promise<'closing' | 'removed' | 'unsupported'> {
    const { roomPort, isOurs } = connection.host
    if (!isOurs) return 'unsupported'
    const stream = await connection.dial(roomPort, signal)
    const client = createScaffoldingClient(stream, { clock, signal })
    try {
      for (;;) {
        const answer = await client.untilClosing()
        if (answer !== 'open') return answer
      }
    } finally {
      stream.destroy()
    }
  }
}
