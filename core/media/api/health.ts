import { createRoute } from '@hono/zod-openapi'
import type { CheckHealth } from '../checkHealth'
import type { MediaRoute } from './mediaRoute'
import { failures, SECURITY } from './responses'

export const healthContract = createRoute({
  method: 'get',
  path: '/health',
  summary: 'Whether the service can work: no body, only a status',
  security: SECURITY,
  responses: { 200: { description: 'It can.' }, ...failures(401, 503) },
})

export function healthRoute(checkHealth: CheckHealth): MediaRoute {
  return {
    contract: healthContract,
    register: (app) =>
      app.openapi(healthContract, async (context) => {
        await checkHealth()
        return context.body(null, 200, { 'Cache-Control': 'no-store' })
      }),
  }
}
