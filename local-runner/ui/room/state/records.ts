import type { LogLevel } from '#core/log'
import type { FriendRelayState } from '#core/room/networkStatus'
import type { Profile } from '#core/room/profiles'
import type { PlayerConnection } from '#core/room/service/state/playerConnections'

/** The service's records, as far as the page shows them. docs/rooms.md and the OpenAPI document describe them. */

export type RoomStatus = {
  readonly state: string
  readonly role: 'host' | 'guest' | null
  readonly error: string | null
  readonly errorCode: string | null
  readonly stage: string | null
  readonly hint: string | null
  /** Which hint it is, while nothing has failed. */
  readonly hintCode: string | null
  readonly roomCode: string | null
  readonly players: readonly Profile[]
  readonly guests: readonly Guest[]
  readonly connections: readonly PlayerConnection[]
  readonly gamePort: number
  /** What the host shares beside the world. */
  readonly ports: readonly SharedPort[]
  readonly network: {
    readonly privacy: 'open' | 'private'
    readonly nodes: readonly RoomNode[]
    /** Traffic that this machine relays for other players; null unless relaying is enabled. */
    readonly friendRelay: { readonly state: FriendRelayState; readonly pairs: number } | null
    readonly path: string | null
    readonly carrier: string | null
    readonly latencyMs: number | null
  } | null
}

const ENDINGS: ReadonlySet<string | null> = new Set(['room-closed', 'removed', 'refused'])

/** Whether the host has ended it: nothing is broken then. */
export function isEnded({ state, errorCode }: Pick<RoomStatus, 'state' | 'errorCode'>): boolean {
  return state === 'Error' && ENDINGS.has(errorCode)
}

/** A player who asks to join or was answered, or a member of the network without a player. */
export type Guest = {
  readonly id: string
  readonly name: string
  readonly vendor: string
  readonly state: 'waiting' | 'refused' | 'removed' | 'unregistered' | 'second-host'
}

export type SharedPort = { readonly name: string; readonly tcp: number | null; readonly udp: number | null }

export type RoomNode = {
  readonly url: string
  readonly state: 'connecting' | 'connected' | 'failed'
  readonly latencyMs: number | null
  readonly problem: string | null
}

/** The response of GET /state. */
export type StateRecord = {
  readonly url: string | null
  readonly difficulty: 'UNKNOWN' | 'EASIEST' | 'SIMPLE' | 'MEDIUM' | 'TOUGH' | null
}

/** One of GET /game/servers. */
export type WorldRecord = {
  readonly endPoint: string
  readonly motd: string
  readonly isVerified: boolean
  readonly version: string | null
  readonly onlinePlayers: number | null
  readonly maxPlayers: number | null
  readonly local: boolean
  /** False where a search of this computer has found it. */
  readonly announced: boolean
}

export type LogLine = {
  readonly index: number
  readonly level: LogLevel
  readonly message: string
  /** ISO 8601, UTC. */
  readonly timestamp: string
}

/** The port that a player has typed; undefined when it is none. */
export function readPort(text: string): number | undefined {
  if (!/^\d{1,5}$/.test(text.trim())) return undefined
  const port = Number(text)
  return port >= 1 && port <= 65_535 ? port : undefined
}
