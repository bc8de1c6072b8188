import { createRoute, z } from '@hono/zod-openapi'
import { BAD_INPUT, GUARDED, SECURITY } from '../http/contracts'
import type { RoomRoute } from '../http/roomRoute'

const logContract = createRoute({
  method: 'get',
  path: '/log',
  summary: 'The last lines of the log; secrets are left out',
  security: SECURITY,
  request: {
    query: z.object({
      fetch: z
        .enum(['true', 'false'], { error: 'must be true or false' })
        .optional()
        .openapi({ description: 'For clients of Terracotta; the answer is the same either way.' }),
    }),
  },
  responses: {
    200: { description: 'The log.', content: { 'text/plain': { schema: z.string() } } },
    ...GUARDED,
    ...BAD_INPUT,
  },
})

export const logRoute: RoomRoute = {
  contract: logContract,
  effect: 'none',
  register(app, { logText }) {
    app.openapi(logContract, (context) => context.text(logText(), 200, { 'Cache-Control': 'no-store' }))
  },
}
