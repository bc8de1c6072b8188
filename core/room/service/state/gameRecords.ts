import { z } from '@hono/zod-openapi'
import { endPointOf, type Game, isVerified } from '@lantern-room/game'

/** GET /game/servers. */
export const gameServers = z
  .object({
    servers: z.array(
      z.object({
        endPoint: z.string().openapi({ example: '127.0.0.1:25565' }),
        motd: z.string(),
        isVerified: z.boolean().openapi({
          description:
            'Whether it has answered as a game does. Another one on this machine is hosted only when its port is chosen.',
        }),
        version: z.string().nullable(),
        onlinePlayers: z.int().nullable(),
        maxPlayers: z.int().nullable(),
        local: z.boolean().openapi({ description: 'Additive: on this machine.' }),
        edition: z.enum(['java', 'bedrock']).openapi({
          description: 'Additive: of the game. A Bedrock world is hosted only when its port is chosen.',
        }),
        announced: z.boolean().openapi({
          description:
            'Additive: false where a host’s search of this machine has found it, while there is no world. It is hosted only when its port is chosen.',
        }),
      }),
    ),
    count: z.int(),
  })
  .openapi('GameServers')

type GameServersRecord = z.infer<typeof gameServers>

/** A world of `GET /game/servers`, as it was announced or found, and what it answered. */
export type GameServerRecord = GameServersRecord['servers'][number]

/** GET /game/status. */
export const gameStatus = z
  .object({ totalServers: z.int(), verifiedServers: z.int(), timestamp: z.string() })
  .openapi('GameStatus')

export function toGameServers(games: readonly Game[]): GameServersRecord {
  return { servers: games.map(toServerRecord), count: games.length }
}

/** @param unixTime in milliseconds */
export function toGameStatus(games: readonly Game[], unixTime: number): z.infer<typeof gameStatus> {
  return {
    totalServers: games.length,
    verifiedServers: games.filter(({ status }) => isVerified(status)).length,
    timestamp: new Date(unixTime).toISOString(),
  }
}

function toServerRecord(game: Game): GameServerRecord {
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
