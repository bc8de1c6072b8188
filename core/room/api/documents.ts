import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { FEED_MESSAGES } from '../service/state/feedMessages'
import { contractOf, GUARDED, SECURITY } from './http/contracts'
import type { RoomRoute } from './http/roomRoute'

/** @param write the document for an app that is called at `origin` */
function documentAt(
  path: string,
  summary: string,
  description: string,
  write: (app: OpenAPIHono, origin: string, version: string) => object,
): RoomRoute {
  const contract = contractOf({
    method: 'get',
    path,
    summary,
    security: SECURITY,
    responses: {
      200: { description, content: { 'application/json': { schema: z.object({}) } } },
      ...GUARDED,
    },
  })
  return {
    contract,
    effect: 'none',
    register(app, { meta }) {
      app.openAPIRegistry.registerPath(contract)
      app.get(path, (context) => context.json(write(app, new URL(context.req.url).origin, meta.version)))
    },
  }
}

export const documentRoute = documentAt(
  '/openapi.json',
  'This document',
  'OpenAPI 3.1',
  (app, origin, version) => {
    return app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Room service',
        version,
        description: 'Hosts or joins a game room by a room code.',
      },
      servers: [{ url: origin }],
    })
  },
)

export const asyncDocumentRoute = documentAt(
  '/asyncapi.json',
  'The messages of the feed, as an AsyncAPI document',
  'AsyncAPI 3.0',
  (app, origin, version) => asyncDocument(new URL(origin).host, version, schemasOf(app)),
)

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
