import { createRoute } from '@hono/zod-openapi'
import type { Readiness } from '../readiness'
import type { MediaRoute } from './mediaRoute'
import { failures, SECURITY } from './responses'

export const healthContract = createRoute({
  method: 'get',
  path: '/health',
  operationId: 'checkHealth',
  tags: ['Service'],
  summary: 'Whether the service can work: no body, only a status, which is remembered for five seconds',
  security: SECURITY,
  responses: { 200: { description: 'It can.' }, ...failures(401, 503) },
})

export function healthRoute(readiness: Pick<Readiness, 'check'>): MediaRoute {
  return {
    contract: healthContract,
    register: (app) =>
      app.openapi(healthContract, async (context) => {
        await readiness.check()
        return context.body(null, 200, { 'Cache-Control': 'no-store' })
      }),
  }
}
