import { createRoute, z } from '@hono/zod-openapi'
import type { MediaRoute } from './mediaRoute'
import { failures, SECURITY } from './responses'

export const documentContract = createRoute({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getDocument',
  tags: ['Service'],
  summary: 'This document',
  security: SECURITY,
  responses: {
    200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: z.looseObject({}) } } },
    ...failures(401),
  },
})

/** The groups of operations, in the order in which a client needs them. */
const TAGS = [
  {
    name: 'Sessions',
    description: 'A video becomes a preview, from which photos are made until it expires.',
  },
  { name: 'Photos', description: 'Motion photos: made, judged, taken apart, mended.' },
  { name: 'Uploads', description: 'Large files, sent apart from the request that uses them.' },
  { name: 'Service', description: 'The service itself.' },
]

/** The document of the whole API, also where this app serves a part of it. */
export function documentRoute(version: string): MediaRoute {
  return {
    contract: documentContract,
    register: (app) => {
      app.openAPIRegistry.registerPath(documentContract)
      app.get(documentContract.path, (context) =>
        context.json(
          app.getOpenAPI31Document({
            openapi: '3.1.0',
            info: {
              title: 'Motion photo API',
              version,
              description: 'A video or animated image goes in; a preview and motion photos come out.',
              license: { name: 'MIT' },
            },
            tags: TAGS,
            servers: [{ url: context.var.publicUrl }],
          }),
        ),
      )
    },
  }
}
