import { randomBytes } from 'node:crypto'
import type { ByteStream } from '#core/byteStream'
import { equalBytes } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { cleanText } from '../cleanText'
import { RoomFailure } from '../failure'
import type { Player, Profile } from '../profiles'
import type { RoomCode } from '../roomCode'
import {
  type CommandName,
  decodePort,
  decodeProfiles,
  decodeProtocols,
  encodePlayer,
  FINGERPRINT,
  ROOM_FULL,
  STATUS,
} from './commands'
import { createExchange, type ExchangeOptions } from './exchange'
import type { ResponseFrame } from './frames'
import { IDENTITY_COMMAND, NONCE_LENGTH, verifyIdentity } from './identity'

/**
 * The guest's side of the room protocol. Every call may throw RoomFailure `connection-lost` (also after 64 s without an
 * answer), `invalid-response`, or the reason of the signal; after `connection-lost` the stream is closed.
 */
export type ScaffoldingClient = {
  /** Whether calls made at the same time go out at once. */
  readonly takesSeveral: boolean
  /** Whether a room of this kind answers. @throws RoomFailure `fingerprint-mismatch` */
  ping(): Promise<void>
  /** Registers this player, or keeps it registered: to be called every 5 s. @throws RoomFailure `room-full` */
  playerPing(player: Player): Promise<void>
  /** Which commands the host knows. */
  protocols(): Promise<string[]>
  serverPort(): Promise<number | 'not-started'>
  /** Exactly one of them is the host, and no machine id comes twice. */
  profiles(): Promise<Profile[]>
  /**
   * Has the host prove by which key it holds the room.
   * @param pinned the key that it had before: another one, or none, is a mismatch
   * @returns the host's public key; undefined when it does not know the command
   * @throws RoomFailure `fingerprint-mismatch`
   */
  identify(room: RoomCode, pinned?: Uint8Array): Promise<Uint8Array | undefined>
  /** Closes the stream in order. */
  close(): Promise<void>
  /** Resolves when the stream holds nothing any more, whoever closed it. */
  readonly closed: Promise<void>
}

export type Greeting = { readonly protocols: readonly string[]; readonly gamePort: number | 'not-started' }

/** @param stream is taken over: it closes by the signal, by `close`, or when the host breaks the protocol */
export function createScaffoldingClient(stream: ByteStream, options: ExchangeOptions): ScaffoldingClient {
  const exchange = createExchange(stream, options)
  const call = (kind: CommandName, body: Uint8Array = new Uint8Array(0)) => exchange({ kind, body })

  return {
    takesSeveral: options.takesSeveral === true,
    closed: stream.closed,
    close: () => stream.end(),
    async ping() {
      const { status, data } = await call('c:ping', FINGERPRINT).catch(asMismatch)
      if (status !== STATUS.ok || !equalBytes(data, FINGERPRINT)) throw mismatch(ANOTHER_KIND)
    },
    async playerPing(player) {
      const response = await call('c:player_ping', encodePlayer(player))
      if (response.status === STATUS.failed && reasonOf(response) === ROOM_FULL) {
        throw new RoomFailure('room-full', ROOM_FULL)
      }
      expectOk('c:player_ping', response)
    },
    async protocols() {
      return read('c:protocols', await call('c:protocols'), decodeProtocols)
    },
    async serverPort() {
      const response = await call('c:server_port')
      if (response.status === STATUS.notStarted) return 'not-started'
      return read('c:server_port', response, decodePort)
    },
    async profiles() {
      return read('c:player_profiles_list', await call('c:player_profiles_list'), decodeProfiles)
    },
    async identify(room, pinned) {
      const nonce = randomBytes(NONCE_LENGTH)
      const { status, data } = await exchange({ kind: IDENTITY_COMMAND, body: nonce })
      if (status !== STATUS.ok && !pinned) return undefined
      const key = status === STATUS.ok ? verifyIdentity(data, nonce, room) : undefined
      if (!key) throw mismatch('The host cannot prove who it is.')
      if (pinned && !equalBytes(key, pinned))
        throw mismatch('Another host answers with this room code than before.')
      return key
    },
  }
}

/**
 * What a guest does first, in this order: is it a room, here I am, what can you do, where is the game. A host that takes
 * several requests gets all of them in one round trip; any other proves that it is a room before it hears more.
 */
export async function greet(client: ScaffoldingClient, player: Player): Promise<Greeting> {
  if (client.takesSeveral) {
    const asked = [client.ping(), client.playerPing(player), client.protocols(), client.serverPort()] as const
    const [, , protocols, gamePort] = await Promise.all(asked)
    return { protocols, gamePort }
  }
  await client.ping()
  await client.playerPing(player)
  const protocols = await client.protocols()
  return { protocols, gamePort: await client.serverPort() }
}

const ANOTHER_KIND = 'What answers at the host is not a room of this kind.'

function mismatch(detail: string, cause?: unknown): RoomFailure {
  return new RoomFailure('fingerprint-mismatch', detail, { cause })
}

/** To the first request, an answer that makes no sense comes from another program. */
function asMismatch(error: unknown): never {
  if (error instanceof RoomFailure && error.code === 'invalid-response') throw mismatch(ANOTHER_KIND, error)
  throw error
}

function read<T>(kind: CommandName, response: ResponseFrame, decode: (data: Uint8Array) => T): T {
  expectOk(kind, response)
  try {
    return decode(response.data)
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    throw new RoomFailure('invalid-response', `The host’s answer to ${kind} is wrong: ${cause.detail}`, {
      cause,
    })
  }
}

function expectOk(kind: CommandName, response: ResponseFrame): void {
  const { status } = response
  if (status === STATUS.ok) return
  const said = reasonOf(response)
  throw new RoomFailure(
    'invalid-response',
    `The host refuses ${kind} with status ${status}${said && `: ${said}`}`,
  )
}

function reasonOf({ data }: ResponseFrame): string {
  return cleanText(new TextDecoder().decode(data.subarray(0, MAX_REASON)), MAX_REASON)
}

/** Of a refusal's text, in characters. */
const MAX_REASON = 200
