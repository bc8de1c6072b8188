import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { GUARDED, SECURITY } from '../http/contracts'
import type { RoomRoute } from '../http/roomRoute'
import { FEED_MESSAGES } from './feedMessages'

const asyncDocumentContract = createRoute({
  method: 'get',
  path: '/asyncapi.json',
  summary: 'The messages of the feed, as an AsyncAPI document',
  security: SECURITY,
  responses: {
    200: { description: 'AsyncAPI 3.0', content: { 'application/json': { schema: z.object({}) } } },
    ...GUARDED,
  },
})

export const asyncDocumentRoute: RoomRoute = {
  contract: asyncDocumentContract,
  effect: 'none',
  register(app, { meta }) {
    app.openAPIRegistry.registerPath(asyncDocumentContract)
    app.get(asyncDocumentContract.path, (context) => {
      const { host } = new URL(context.req.url)
      return context.json(asyncDocument(host, meta.version, schemasOf(app)))
    })
  },
}

function schemasOf(app: OpenAPIHono): Readonly<Record<string, unknown>> {
  const { components } = app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: '', version: '' } })
  return components?.schemas ?? {}
}

/** @see https://www.asyncapi.com/docs/reference/specification/v3.0.0 */
function asyncDocument(host: string, version: string, schemas: Readonly<Record<string, unknown>>) {
  const names = Object.keys(FEED_MESSAGES)
  return {
    asyncapi: '3.0.0',
    info: { title: 'Feed of the room service', version },
    servers: { local: { host, protocol: 'ws' } },
    channels: {
      feed: {
        address: '/ws',
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: { listen: { action: 'receive', channel: { $ref: '#/channels/feed' } } },
    components: {
      messages: Object.fromEntries(
        names.map((name) => [name, { name, payload: { $ref: `#/components/schemas/${schemaName(name)}` } }]),
      ),
      schemas,
    },
  }
}

function schemaName(type: string): string {
  return `Feed${type.charAt(0).toUpperCase()}${type.slice(1)}`
}
