import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { FEED_MESSAGES } from '../service/state/feedMessages'
import { GUARDED, SECURITY } from './http/contracts'
import type { RoomRoute } from './http/roomRoute'

/** Operations of a path item; it has other members, too. */
const METHODS = new Set(['get', 'head', 'post', 'put', 'delete', 'patch'])

/** @param write the document for an app that is called at `origin` */
function documentAt(
  path: string,
  summary: string,
  description: string,
  write: (app: OpenAPIHono, origin: string, version: string) => object,
): RoomRoute {
  const contract = createRoute({
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
    const document = app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Room service',
        version,
        description: 'Hosts or joins a game room by a room code.',
        license: { name: 'MIT' },
      },
      servers: [{ url: origin }],
    })
    nameOperations(document.paths ?? {})
    return document
  },
)

/**
 * Gives each operation of a document a name of its own, by which generators of clients call it: its method and its path,
 * `getStateGuesting` for `GET /state/guesting`.
 */
function nameOperations(paths: Readonly<Record<string, object>>): void {
  for (const [path, item] of Object.entries(paths))
    for (const [method, operation] of Object.entries(item)) {
      if (METHODS.has(method) && typeof operation === 'object' && operation !== null)
        Object.assign(operation, { operationId: operationId(method, path) })
    }
}

function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return method + (name || 'Page')
}

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
