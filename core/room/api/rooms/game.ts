import { z } from '@hono/zod-openapi'
import { gameServers, gameStatus, toGameServers, toGameStatus } from '../../service/state/gameRecords'
import { recordRoute } from '../http/roomRoute'

export const gameServersRoute = recordRoute(
  '/game/servers',
  'Worlds announced on the LAN, or found on this machine',
  gameServers,
  'none',
  ({ games }) => toGameServers(games.games()),
)

export const gameStatusRoute = recordRoute(
  '/game/status',
  'How many worlds there are',
  gameStatus,
  'none',
  ({ games, clock }) => toGameStatus(games.games(), clock.unixTime()),
)

const localService = z.object({
  name: z.string().openapi({ description: 'A name for the port.', example: 'bedrock' }),
  tcp: z.int().nullable(),
  udp: z.int().nullable(),
  title: z.string(),
})

const localServices = z.object({ services: z.array(localService) }).openapi('LocalServices')

export const localServicesRoute = recordRoute(
  '/game/services',
  'Services of this machine that can be shared as `ports`: Bedrock worlds, voice chat, map pages',
  localServices,
  'none',
  async ({ localServices: find }) => ({ services: await find() }),
)
