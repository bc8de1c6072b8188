import type { Log } from '@lantern-room/base'
import { type Clock, sleep, within } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { equalBytes } from '@lantern-room/base/bytes'
import type { ExtraPort, Profile, RoomCode } from '@lantern-room/protocol'
import {
  BYE_MS,
  createScaffoldingClient,
  type HostedWorld,
  handshake,
  PORTS_COMMAND,
  type ScaffoldingClient,
} from '@lantern-room/protocol/client'
import { asRoomFailure, HOST_CHANGED, RoomFailure } from '../../failure'
import type { GuestConnection } from '../../roomNetwork'
import type { GuestSelf } from './guestSelf'
import { Registration, type RegistrationOptions } from './registration'

/** After this the guest reconnects; the protocol's own limit of 64 s is for idle connections. */
const ANSWER_MS = 10_000
/** A pause between two connections for the host’s farewell. */
const AGAIN_MS = 1000
const REMOVED_YOU = 'The host has removed you from the room.'

export type HostLinkDependencies = RegistrationOptions & {
  readonly connection: GuestConnection
  readonly room: RoomCode
  /** The key by which we would host this room. */
  readonly ownHostKey: Uint8Array
  /** Whether this is the run of this program, or of the one that has its identity on this machine. */
  readonly isRunHere: (run: Uint8Array) => Promise<boolean>
  readonly clock: Clock
  readonly signal: AbortSignal
}

export type HostLink = ReturnType<typeof createHostLink>

/** A guest's client of the room protocol that can reconnect with a new stream. Every call may throw RoomFailure. */
export function createHostLink(dependencies: HostLinkDependencies) {
  const { connection, room, clock } = dependencies
  const registration = new Registration(dependencies)
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
      await within(clock, BYE_MS, current.bye(registration.player.machineId), lost).catch(() => undefined)
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

  async function beat(host: ScaffoldingClient): Promise<Beat> {
    if (!host.supportsPipelining) {
      await registration.registerByList(host)
      return { profiles: await host.profiles(), world: await host.serverPort(), extraPorts: [] }
    }
    // Sent at once, so that the host answers in one packet.
    const [claim, , profiles, world, extraPorts] = await Promise.all([
      registration.claim(host),
      host.playerPing(registration.player),
      host.profiles(),
      host.serverPort(),
      // None where the host does not know of such.
      knowsExtraPorts ? host.extraPorts() : [],
      followSecret(host, dependencies),
    ])
    return registration.settle(claim, profiles) ? beat(host) : { profiles, world, extraPorts }
  }

  /** @param own aborts when this stream is dropped, so that one that opens late does not replace its successor */
  async function greet(stream: ByteStream, isOurs: boolean, own: AbortSignal): Promise<HostedWorld> {
    const opened = createScaffoldingClient(stream, { clock, signal: own, supportsPipelining: isOurs })
    own.throwIfAborted()
    current = opened
    const registered = register(opened)
    if (!opened.supportsPipelining) await registered
    // The connection sees to it that a host whose key is known has proved it before anything was sent.
    const isAsked = !hasConnected && isOurs && connection.hostKey() === undefined
    const [{ world, protocols }, shown] = await Promise.all([
      registered,
      isAsked ? opened.identify(room) : undefined,
    ])
    own.throwIfAborted()
    await checkHost(opened, shown ?? connection.hostKey())
    knowsExtraPorts = protocols.includes(PORTS_COMMAND)
    return world
  }

  async function register(host: ScaffoldingClient): Promise<Awaited<ReturnType<typeof handshake>>> {
    if (!host.supportsPipelining)
      return handshake(host, registration.player, () => registration.registerByList(host))
    const [claim, , greeted] = await Promise.all([
      registration.claim(host),
      // Before the player registers: the host may let in only those whom it knows.
      followSecret(host, dependencies),
      handshake(host, registration.player),
      // Its secret is told to players alone.
      followSecret(host, dependencies),
    ])
    return registration.settle(claim) ? register(host) : greeted
  }

  /** @throws RoomFailure `own-room`, `host-changed` */
  async function checkHost(host: ScaffoldingClient, key: Uint8Array | undefined): Promise<void> {
    const { hostRun, player } = registration
    const isOwnKey = key !== undefined && equalBytes(key, dependencies.ownHostKey)
    // A copy of the data folder has the key, too. docs/decisions.md, D160
    if (isOwnKey && hostRun && (await dependencies.isRunHere(hostRun))) {
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
      throw asRoomFailure(error)
    }
  }
}

type Beat = {
  readonly profiles: readonly Profile[]
  readonly world: HostedWorld
  readonly extraPorts: readonly ExtraPort[]
}

/** In a private room: moves with the host to the network with the secret that it has drawn. */
async function followSecret(
  host: ScaffoldingClient,
  { connection, self }: Pick<HostLinkDependencies, 'connection'> & { readonly self: GuestSelf },
): Promise<void> {
  if (!connection.follow || !host.supportsPipelining) return
  const secret = await host.network(self.proof)
  if (secret) connection.follow(secret)
}

function lost(): RoomFailure {
  return new RoomFailure('connection-lost', 'The host does not answer.')
}

/**
 * Waits for the host's farewell on a separate connection, which is reopened when it ends, but not while the host is lost; hosts of
 * other programs send none.
 * @throws RoomFailure `room-closed` when the host closes the room, `removed` when it removes this guest; the signal's reason
 */
export async function untilRoomCloses(
  { connection, clock, log }: { connection: GuestConnection; clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<never> {
  let isLost = false
  connection.onEvent(({ kind }) => {
    if (kind === 'lost' || kind === 'back') isLost = kind === 'lost'
  })
  for (;;) {
    const news = await listen().catch((error: unknown) => {
      signal.throwIfAborted()
      log.debug('the host’s farewell cannot be heard', { cause: String(error) })
      return 'unsupported'
    })
    if (news === 'closing') throw new RoomFailure('room-closed', 'The host has closed the room.')
    if (news === 'removed') throw new RoomFailure('removed', REMOVED_YOU)
    do {
      await sleep(clock, AGAIN_MS, signal)
    } while (isLost)
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
