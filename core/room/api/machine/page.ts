import { createRoute, z } from '@hono/zod-openapi'
import { webPageResponse } from '#core/http/webPage'
import { refusal } from '../http/contracts'
import type { RoomRoute } from '../http/roomRoute'

const pageContract = createRoute({
  method: 'get',
  path: '/',
  summary: 'The room page: hosts and joins rooms in a browser',
  description:
    'It holds no secret and needs no token. In its address, `#token=…` gives it the token for its requests.',
  responses: {
    200: { description: 'A page.', content: { 'text/html': { schema: z.string() } } },
    403: refusal,
  },
})

export const pageRoute: RoomRoute = {
  contract: pageContract,
  effect: 'none',
  register(app, { page }) {
    app.openAPIRegistry.registerPath(pageContract)
    app.get(pageContract.path, () => webPageResponse(page))
  },
}
