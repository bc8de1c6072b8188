import { createRoute, z } from '@hono/zod-openapi'
import { webPageResponse } from '#core/http/webPage'
import { BAD_INPUT, message, refusal, responses, SECURITY } from '../http/contracts'
import {
  commandRoute,
  getRoute,
  metaRecord,
  type RoomAppDependencies,
  type RoomRoute,
  recordRoute,
} from '../http/roomRoute'

export const metaRoute = recordRoute(
  '/meta',
  'Version and platform; 200 means that the service is there',
  metaRecord,
  'none',
  ({ meta, roomPort }) => ({ ...meta, overlayPort: String(roomPort()) }),
)

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

export const shutdownRoute = commandRoute(
  '/shutdown',
  'Stop the room and end the program',
  undefined,
  {},
  (_given, dependencies) => shutDown(dependencies),
)

const panicContract = createRoute({
  method: 'get',
  path: '/panic',
  summary: 'POST /shutdown, as clients of Terracotta call it',
  security: SECURITY,
  request: {
    query: z.object({
      peaceful: z
        .literal('true', { error: 'must be true: the program can only be ended in order' })
        .openapi({ description: 'Must be `true`.' }),
    }),
  },
  responses: responses(message, BAD_INPUT),
})

export const panicRoute = getRoute(
  panicContract,
  { en: 'close the room and end the program', zh: '关闭房间并退出程序' },
  async (context, dependencies) => context.json({ message: await shutDown(dependencies) }, 200),
)

async function shutDown({ service, shutDown: end }: RoomAppDependencies): Promise<string> {
  await service.stop()
  end()
  return 'Shutting down.'
}
