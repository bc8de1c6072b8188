import type { GameAnnouncement, GameStatus } from '../ports'

/** A world on the LAN that was announced in the last 5 s, with the result of the last probe. */
export type Game = GameAnnouncement & { readonly status: GameStatus | undefined }

/** One of GET /game/servers. */
export type GameServerRecord = {
  readonly endPoint: string
  readonly motd: string
  readonly isVerified: boolean
  readonly version: string | null
  readonly onlinePlayers: number | null
  readonly maxPlayers: number | null
  readonly local: boolean
  readonly edition: 'java' | 'bedrock'
  readonly announced: boolean
}

/** GET /game/status. */
export type GameStatusRecord = {
  readonly totalServers: number
  readonly verifiedServers: number
  readonly timestamp: string
}

/** GET /game/servers. */
export type GameServersRecord = { servers: GameServerRecord[]; count: number }

export function toServerRecord(game: Game): GameServerRecord {
  const { motd, isLocal, status } = game
  return {
    endPoint: endPointOf(game),
    motd: motd === '' ? (status?.motd ?? '') : motd,
    isVerified: isVerified(status),
    version: status?.version ?? null,
    onlinePlayers: status?.onlinePlayers ?? null,
    maxPlayers: status?.maxPlayers ?? null,
    local: isLocal,
    edition: game.edition ?? 'java',
    announced: game.found === undefined,
  }
}

/** Whether a game answered a ping. A bare TCP connect may be any program. */
export function isVerified(status: GameStatus | undefined): boolean {
  return status !== undefined && status.by !== 'connect'
}

/** `192.168.1.5:25565`, `[fe80::1%eth0]:25565`. */
export function endPointOf({ address, port }: { readonly address: string; readonly port: number }): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
