import { z } from '@hono/zod-openapi'
import { webPageResponse } from '@lantern-room/base/http'
import { contractOf, message, refusal } from '../http/contracts'
import {
  commandRoute,
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

const pageContract = contractOf({
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
    app.get(pageContract.path, ({ req }) => webPageResponse(page, [], 200, req.header('Accept-Encoding')))
  },
}

export const shutdownRoute = commandRoute(
  '/shutdown',
  'Stop the room and end the program',
  {},
  (_given, dependencies) => shutDown(dependencies),
)

export const panicRoute = recordRoute(
  '/panic',
  'POST /shutdown, as clients of Terracotta call it',
  message,
  { en: 'close the room and end the program', zh: '关闭房间并退出程序' },
  async (dependencies) => ({ message: await shutDown(dependencies) }),
  {
    params: z.object({
      peaceful: z
        .literal('true', { error: 'must be true: the program can only be ended in order' })
        .openapi({ description: 'Must be `true`.' }),
    }),
  },
)

async function shutDown({ service, shutDown: end }: RoomAppDependencies): Promise<string> {
  await service.stop()
  end()
  return 'Shutting down.'
}
