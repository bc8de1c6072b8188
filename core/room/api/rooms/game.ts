import { z } from '@hono/zod-openapi'
import { gameServers, gameStatus } from '../../game/gameRecords'
import { localService } from '../../game/localServices'
import { plainContract } from '../http/contracts'
import { getRoute } from '../http/roomRoute'

const gameServersContract = plainContract(
  'get',
  '/game/servers',
  'Worlds announced on the LAN, or found on this machine',
  gameServers,
)

export const gameServersRoute = getRoute(gameServersContract, 'none', (context, { games }) =>
  context.json(games.servers(), 200),
)

const gameStatusContract = plainContract('get', '/game/status', 'How many worlds there are', gameStatus)

export const gameStatusRoute = getRoute(gameStatusContract, 'none', (context, { games }) =>
  context.json(games.status(), 200),
)

const localServices = z.object({ services: z.array(localService) }).openapi('LocalServices')

const localServicesContract = plainContract(
  'get',
  '/game/services',
  'Services of this machine that can be shared as `ports`: Bedrock worlds, voice chat, map pages',
  localServices,
)

export const localServicesRoute = getRoute(
  localServicesContract,
  'none',
  async (context, { localServices: find }) => context.json({ services: await find() }, 200),
)
