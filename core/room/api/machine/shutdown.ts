import { createRoute, z } from '@hono/zod-openapi'
import { BAD_INPUT, message, plainContract, responses, SECURITY } from '../http/contracts'
import type { RoomAppDependencies, RoomRoute } from '../http/roomRoute'

const shutdownContract = plainContract('post', '/shutdown', 'Stop the room and end the program', message)

export const shutdownRoute: RoomRoute = {
  contract: shutdownContract,
  register(app, dependencies) {
    app.openapi(shutdownContract, async (context) => context.json(await shutDown(dependencies), 200))
  },
}

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

export const panicRoute: RoomRoute = {
  contract: panicContract,
  effect: { en: 'close the room and end the program', zh: '关闭房间并退出程序' },
  register(app, dependencies) {
    app.openapi(panicContract, async (context) => context.json(await shutDown(dependencies), 200))
  },
}

async function shutDown({ service, shutDown: end }: RoomAppDependencies): Promise<z.infer<typeof message>> {
  await service.stop()
  end()
  return { message: 'Shutting down.' }
}
