import { z } from '@hono/zod-openapi'
import { plainContract } from '../http/contracts'
import type { RoomRoute } from '../http/roomRoute'

const networkServers = z
  .object({
    servers: z.array(
      z.object({
        hostname: z.string(),
        port: z.int(),
        protocol: z.string(),
        status: z.enum(['ok', 'failed', 'unknown']),
        latencyMs: z.number().nullable(),
        problem: z.string().nullable(),
      }),
    ),
  })
  .openapi('NetworkServers')

const networkServersContract = plainContract(
  'get',
  '/network/servers',
  'Shared nodes and their health',
  networkServers,
)

export const networkServersRoute: RoomRoute = {
  contract: networkServersContract,
  // It asks the configured nodes only, each at most once a minute however often it is called.
  effect: 'none',
  register(app, { checkNode, settings }) {
    app.openapi(networkServersContract, async (context) =>
      context.json({ servers: await Promise.all(settings.nodes().map(checkNode)) }, 200),
    )
  },
}
