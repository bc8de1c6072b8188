import { z } from '@hono/zod-openapi'
import { plainContract } from './contracts'
import type { RoomRoute } from './roomRoute'

const gameServers = z
  .object({
    servers: z.array(
      z.object({
        endPoint: z.string().openapi({ example: '127.0.0.1:25565' }),
        motd: z.string(),
        isVerified: z.boolean(),
        version: z.string().nullable(),
        onlinePlayers: z.int().nullable(),
        maxPlayers: z.int().nullable(),
        local: z.boolean().openapi({ description: 'Additive: on this machine.' }),
      }),
    ),
    count: z.int(),
  })
  .openapi('GameServers')

const gameServersContract = plainContract('get', '/game/servers', 'Worlds announced on the LAN', gameServers)

export const gameServersRoute: RoomRoute = {
  contract: gameServersContract,
  register(app, { games }) {
    app.openapi(gameServersContract, (context) => context.json(games.servers(), 200))
  },
}

const gameStatus = z
  .object({ totalServers: z.int(), verifiedServers: z.int(), timestamp: z.string() })
  .openapi('GameStatus')

const gameStatusContract = plainContract('get', '/game/status', 'How many worlds there are', gameStatus)

export const gameStatusRoute: RoomRoute = {
  contract: gameStatusContract,
  register(app, { games }) {
    app.openapi(gameStatusContract, (context) => context.json(games.status(), 200))
  },
}
