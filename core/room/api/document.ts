import { createRoute, z } from '@hono/zod-openapi'
import { GUARDED, SECURITY } from './http/contracts'
import { nameOperations } from './http/operationIds'
import type { RoomRoute } from './http/roomRoute'

const documentContract = createRoute({
  method: 'get',
  path: '/openapi.json',
  summary: 'This document',
  security: SECURITY,
  responses: {
    200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: z.object({}) } } },
    ...GUARDED,
  },
})

export const documentRoute: RoomRoute = {
  contract: documentContract,
  effect: 'none',
  register(app, { meta }) {
    app.openAPIRegistry.registerPath(documentContract)
    app.get(documentContract.path, (context) => {
      const document = app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: {
          title: 'Room service',
          version: meta.version,
          description: 'Hosts or joins a game room by a room code.',
          license: { name: 'MIT' },
        },
        servers: [{ url: new URL(context.req.url).origin }],
      })
      nameOperations(document.paths ?? {})
      return context.json(document)
    })
  },
}
