import { z } from '@hono/zod-openapi'
import { plainContract } from '../http/contracts'
import { getRoute } from '../http/roomRoute'

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

/** One of them. */
export type GameServer = z.infer<typeof gameServers>['servers'][number]

const gameServersContract = plainContract(
  'get',
  '/game/servers',
  'Worlds announced on the LAN, or found on this machine',
  gameServers,
)

export const gameServersRoute = getRoute(gameServersContract, 'none', (context, { games }) =>
  context.json(games.servers(), 200),
)

const gameStatus = z
  .object({ totalServers: z.int(), verifiedServers: z.int(), timestamp: z.string() })
  .openapi('GameStatus')

const gameStatusContract = plainContract('get', '/game/status', 'How many worlds there are', gameStatus)

export const gameStatusRoute = getRoute(gameStatusContract, 'none', (context, { games }) =>
  context.json(games.status(), 200),
)

const localServices = z
  .object({
    services: z.array(
      z.object({
        name: z.string().openapi({ description: 'A name for the port.', example: 'bedrock' }),
        tcp: z.int().nullable(),
        udp: z.int().nullable(),
        title: z.string(),
      }),
    ),
  })
  .openapi('LocalServices')

const localServicesContract = plainContract(
  'get',
  '/game/services',
  'Services of this machine that can be shared as `ports`: Bedrock worlds, voice chat, map pages',
  localServices,
)

export const localServicesRoute = getRoute(
  localServicesContract,
  'none',
  async (context, { localServices: find }) => {
    const services = (await find()).map(({ tcp = null, udp = null, ...service }) => ({
      ...service,
      tcp,
      udp,
    }))
    return context.json({ services }, 200)
  },
)
