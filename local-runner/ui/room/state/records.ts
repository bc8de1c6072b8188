import type { FeedMessage, GameServerRecord, RoomStatus, StateRecord } from '@lantern-room/room/client'

/** The service's records, as its schemas and `/openapi.json` describe them. */
export type { RoomStatus, StateRecord }
/** One of GET /game/servers. */
export type WorldRecord = GameServerRecord
/** A player who asks to join or was answered, or a member of the network without a player. */
export type Guest = RoomStatus['guests'][number]
export type SharedPort = Pick<RoomStatus['ports'][number], 'name' | 'tcp' | 'udp'>
export type RoomNode = NonNullable<RoomStatus['network']>['nodes'][number]

const ENDINGS: ReadonlySet<string | null> = new Set(['room-closed', 'removed', 'refused'])

/** Whether the host has ended it: nothing is broken then. */
export function isEnded({ state, errorCode }: Pick<RoomStatus, 'state' | 'errorCode'>): boolean {
  return state === 'Error' && ENDINGS.has(errorCode)
}

export type LogLine = Pick<
  Extract<FeedMessage, { readonly type: 'log' }>,
  'index' | 'level' | 'message' | 'timestamp'
>

/** The port that a player has typed; undefined when it is none. */
export function readPort(text: string): number | undefined {
  if (!/^\d{1,5}$/.test(text.trim())) return undefined
  const port = Number(text)
  return port >= 1 && port <= 65_535 ? port : undefined
}
