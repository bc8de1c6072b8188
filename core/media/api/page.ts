import { createRoute, z } from '@hono/zod-openapi'
import { failureOf } from '#core/http/errorResponse'
import { statusPage } from '#core/http/statusPage'
import type { CheckHealth } from '../checkHealth'
import type { MediaRoute } from './mediaRoute'

export const pageContract = createRoute({
  method: 'get',
  path: '/',
  summary: 'A page for people: the service, its state, its API document',
  responses: { 200: { description: 'HTML.', content: { 'text/html': { schema: z.string() } } } },
})

export function pageRoute(checkHealth: CheckHealth, version: string): MediaRoute {
  return {
    contract: pageContract,
    register: (app) =>
      app.openapi(pageContract, async (context) => {
        const problem = await checkHealth().then(
          () => undefined,
          (error: unknown) => failureOf(error).error.detail,
        )
        const page = statusPage({
          title: 'Motion photo API',
          description:
            'A video or animated image goes in; a motion photo that phone galleries recognise comes out.',
          state: problem === undefined ? 'It is ready.' : `It cannot work now: ${problem}`,
          health: problem === undefined ? 'good' : 'bad',
          version,
        })
        return context.html(page, 200)
      }),
  }
}
