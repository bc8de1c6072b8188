import { z } from '@hono/zod-openapi'
import { gameServers, gameStatus } from '../../game/gameRecords'
import { localService } from '../../game/localServices'
import { recordRoute } from '../http/roomRoute'

export const gameServersRoute = recordRoute(
  '/game/servers',
  'Worlds announced on the LAN, or found on this machine',
  gameServers,
  'none',
  ({ games }) => games.servers(),
)

export const gameStatusRoute = recordRoute(
  '/game/status',
  'How many worlds there are',
  gameStatus,
  'none',
  ({ games }) => games.status(),
)

const localServices = z.object({ services: z.array(localService) }).openapi('LocalServices')

export const localServicesRoute = recordRoute(
  '/game/services',
  'Services of this machine that can be shared as `ports`: Bedrock worlds, voice chat, map pages',
  localServices,
  'none',
  async ({ localServices: find }) => ({ services: await find() }),
)
