import { randomBytes } from 'node:crypto'
import type { ByteStream } from '@lantern-room/base/bytes'
import { equalBytes } from '@lantern-room/base/bytes'
import type { ExtraPort } from '../extraPorts'
import { SECRET_SIZE } from '../members'
import type { Player, Profile } from '../profiles'
import { ProtocolFailure } from '../protocolFailure'
import type { RoomCode } from '../roomCode'
import { BYE_COMMAND } from './goodbye'
import { IDENTITY_COMMAND, NONCE_LENGTH, verifyIdentity } from './identity'
import { decodeExtraPorts, NETWORK_COMMAND, PORTS_COMMAND } from './lanternCommands'
import { decodePlayerClaim, encodePlayerClaim, PLAYER_COMMAND, type PlayerClaim } from './playerClaim'
import {
  COMMANDS,
  decodePort,
  decodeProfiles,
  decodeProtocols,
  encodePlayer,
  encodeProtocols,
  FINGERPRINT,
  type ProtocolCommandName,
  STATUS,
} from './wire/commands'
import { createExchange, type ExchangeOptions, expectOk, readResponse } from './wire/exchange'

/** The port of the host's world; `waiting` until the host lets this player in. */
export type HostedWorld = number | 'not-started' | 'waiting'

export type ScaffoldingClient = ReturnType<typeof createScaffoldingClient>

/**
 * The guest's side of the room protocol. Every call may throw ProtocolFailure `connection-lost` (also after 64 s without an
 * answer), `invalid-response`, or the reason of the signal; after `connection-lost` the stream is closed.
 * @param stream closes by the signal, and when the host breaks the protocol
 * @example
 * const client = createScaffoldingClient(await connection.dial(roomPort), { clock, signal })
 * const { world } = await handshake(client, player)
 */
export function createScaffoldingClient(stream: ByteStream, options: ExchangeOptions) {
  const exchange = createExchange(stream, options)
  const call = (kind: ProtocolCommandName, body: Uint8Array = new Uint8Array(0)) => exchange({ kind, body })

  return {
    /** Whether concurrent calls are sent without waiting for responses. */
    supportsPipelining: options.supportsPipelining === true,
    /** Checks that a room of this kind answers. @throws ProtocolFailure `fingerprint-mismatch` */
    async ping(): Promise<void> {
      const { status, data } = await call('c:ping', FINGERPRINT).catch(asMismatch)
      if (status !== STATUS.ok || !equalBytes(data, FINGERPRINT)) throw mismatch(ANOTHER_KIND)
    },
    /**
     * Registers this player, or keeps it registered: to be called every 5 s.
     * @throws ProtocolFailure `room-full`, `refused`, `removed`
     */
    async playerPing(player: Player): Promise<void> {
      const response = await call('c:player_ping', encodePlayer(player))
      expectOk('c:player_ping', response)
    },
    /** Asks whether this id is the player's own. Only for hosts of this program. @param run as `runIn` makes it */
    async claim(run: Uint8Array, player: Player): Promise<PlayerClaim> {
      const { status, data } = await exchange({
        kind: PLAYER_COMMAND,
        body: encodePlayerClaim(run, player),
      })
      return decodePlayerClaim(status, data)
    },
    /** The commands that the host supports; hosts of this program are told which ones this guest knows. */
    async protocols(): Promise<string[]> {
      const body = options.supportsPipelining ? KNOWN_COMMANDS : undefined
      return readResponse('c:protocols', await call('c:protocols', body), decodeProtocols)
    },
    /** The host's ports beside the world's. Only for hosts that list `lantern:ports`. */
    async extraPorts(): Promise<readonly ExtraPort[]> {
      const response = await exchange({ kind: PORTS_COMMAND, body: new Uint8Array(0) })
      return readResponse(PORTS_COMMAND, response, decodeExtraPorts)
    },
    /** @throws ProtocolFailure `refused` */
    async serverPort(): Promise<HostedWorld> {
      // Other hosts ignore the body; ours then do not hold the answer until there is a world.
      const response = await call('c:server_port', options.supportsPipelining ? AT_ONCE : undefined)
      if (response.status === STATUS.notStarted) return 'not-started'
      if (options.supportsPipelining && response.status === STATUS.waiting) return 'waiting'
      return readResponse('c:server_port', response, decodePort)
    },
    /** The players: exactly one host, no machine id twice. */
    async profiles(): Promise<Profile[]> {
      return readResponse('c:player_profiles_list', await call('c:player_profiles_list'), decodeProfiles)
    },
    /**
     * Proves this player, before it registers and later, in a private room.
     * @returns the secret of the network to which the host has moved the room; undefined if it has not, or this player is not
     * in the room
     */
    async network(proof: Uint8Array): Promise<Uint8Array | undefined> {
      const { status, data } = await exchange({ kind: NETWORK_COMMAND, body: proof })
      return status === STATUS.ok && data.length === SECRET_SIZE ? data : undefined
    },
    async bye(machineId: string): Promise<void> {
      await exchange({ kind: BYE_COMMAND, body: new TextEncoder().encode(machineId) })
    },
    /**
     * Waits until the host closes the room, for at most 64 s; other calls wait meanwhile.
     * @returns `unsupported` when the host does not know the command
     */
    async untilClosing(): Promise<'closing' | 'open' | 'removed' | 'unsupported'> {
      const { status } = await exchange({ kind: BYE_COMMAND, body: new Uint8Array(0) })
      if (status === STATUS.ok) return 'closing'
      if (status === STATUS.removed) return 'removed'
      return status === STATUS.stillOpen ? 'open' : 'unsupported'
    },
    /**
     * Lets the host prove its key for this room.
     * @returns the host's public key; undefined when it does not support the command
     * @throws ProtocolFailure `host-changed` when the proof is wrong
     */
    async identify(room: RoomCode): Promise<Uint8Array | undefined> {
      const nonce = randomBytes(NONCE_LENGTH)
      const { status, data } = await exchange({ kind: IDENTITY_COMMAND, body: nonce })
      if (status !== STATUS.ok) return undefined
      const key = verifyIdentity(data, nonce, room)
      if (!key) throw new ProtocolFailure('host-changed', 'The host cannot prove its identity.')
      return key
    },
  }
}

/**
 * The first requests of a guest: ping, player_ping, protocols, server_port. A host that supports pipelining gets them all
 * in one round trip; any other host must answer the ping before it gets the next one.
 * @param register sends the player_ping, as soon as it is called where the host supports pipelining
 * @throws ProtocolFailure
 * @example const { world, protocols } = await handshake(client, { name: 'Alex', machineId, vendor: 'Demo 1.0' })
 */
export async function handshake(
  client: ScaffoldingClient,
  player: Player,
  register = () => client.playerPing(player),
): Promise<{ readonly protocols: readonly string[]; readonly world: HostedWorld }> {
  if (client.supportsPipelining) {
    const [, , protocols, world] = await Promise.all([
      client.ping(),
      register(),
      client.protocols(),
      client.serverPort(),
    ])
    return { protocols, world }
  }
  await client.ping()
  await register()
  const protocols = await client.protocols()
  return { protocols, world: await client.serverPort() }
}

/** The body of `c:server_port` to a host of this program. */
const AT_ONCE = new TextEncoder().encode('now')

const KNOWN_COMMANDS = encodeProtocols([...COMMANDS, PORTS_COMMAND])

const ANOTHER_KIND = 'The host does not run a room of this kind.'

function mismatch(detail: string, cause?: unknown): ProtocolFailure {
  return new ProtocolFailure('fingerprint-mismatch', detail, { cause })
}

/** An invalid response to the first request comes from another program. */
function asMismatch(error: unknown): never {
  if (error instanceof ProtocolFailure && error.code === 'invalid-response')
    throw mismatch(ANOTHER_KIND, error)
  throw error
}
