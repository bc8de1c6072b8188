import { createRoute, z } from '@hono/zod-openapi'
import { webPageResponse } from '#core/http/webPage'
import { BAD_INPUT, message, plainContract, refusal, responses, SECURITY } from '../http/contracts'
import { getRoute, metaRecord, postRoute, type RoomAppDependencies, type RoomRoute } from '../http/roomRoute'

const metaContract = plainContract(
  'get',
  '/meta',
  'Version and platform; 200 means that the service is there',
  metaRecord,
)

export const metaRoute = getRoute(metaContract, 'none', (context, { meta, roomPort }) =>
  context.json({ ...meta, overlayPort: String(roomPort()) }, 200),
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

const shutdownContract = plainContract('post', '/shutdown', 'Stop the room and end the program', message)

export const shutdownRoute = postRoute(shutdownContract, async (context, dependencies) =>
  context.json(await shutDown(dependencies), 200),
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
  async (context, dependencies) => context.json(await shutDown(dependencies), 200),
)

async function shutDown({ service, shutDown: end }: RoomAppDependencies): Promise<z.infer<typeof message>> {
  await service.stop()
  end()
  return { message: 'Shutting down.' }
}
