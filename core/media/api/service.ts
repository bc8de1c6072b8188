import { createRoute, z } from '@hono/zod-openapi'
import {
  manifestResponse,
  plainPage,
  serviceWorkerResponse,
  type WebPage,
  webPageResponse,
  workerResponse,
} from '@lantern-room/base/http'
import type { Readiness } from '../readiness'
import { type MediaRoute, plainRoute, validatedRoute } from './mediaRoute'
import { failures, secured } from './responses'

export const healthContract = secured({
  method: 'get',
  path: '/health',
  operationId: 'checkHealth',
  tags: ['Service'],
  summary: 'Whether the service can work: no body, only a status, which is remembered for five seconds',
  responses: { 200: { description: 'It can.' }, ...failures(401, 503) },
})

export function healthRoute(readiness: Readiness): MediaRoute {
  return validatedRoute(healthContract, async (context) => {
    await readiness.check()
    return context.body(null, 200, { 'Cache-Control': 'no-store' })
  })
}

export const pageContract = createRoute({
  method: 'get',
  path: '/',
  operationId: 'getPage',
  tags: ['Service'],
  summary:
    'A page for people: the studio, which makes motion photos in a browser, or the state of the service',
  responses: { 200: { description: 'HTML.', content: { 'text/html': { schema: z.string() } } } },
})

/**
 * The page holds no secret and needs no token.
 * @param bucketOrigin where uploads and redirected previews of the studio go, if there is a bucket
 */
export function pageRoute(page: WebPage, bucketOrigin?: string): MediaRoute {
  const storeOrigins = bucketOrigin === undefined ? [] : [bucketOrigin]
  const { worker, serviceWorker, manifest } = page
  return plainRoute(pageContract, ({ req }) => {
    const isAskedFor = (part: string) => req.query(part) !== undefined
    const accepted = req.header('Accept-Encoding')
    if (worker !== undefined && isAskedFor('script')) return workerResponse(worker, accepted)
    if (serviceWorker !== undefined && isAskedFor('worker')) return serviceWorkerResponse(serviceWorker)
    if (manifest !== undefined && isAskedFor('manifest')) return manifestResponse(manifest)
    return webPageResponse(page, storeOrigins, 200, accepted)
  })
}

const TITLE = 'Motion photo API'

/** The page of a host without the studio. */
export function servicePage(version: string): WebPage {
  return plainPage(
    TITLE,
    `<h1>${TITLE}</h1>
<p>A video or animated image goes in; a motion photo that phone galleries recognise comes out.</p>
<p>It is running. HEAD /health tells whether it can work.</p>
<p><a href="openapi.json">API document (OpenAPI 3.1)</a></p>
<p><small>Version ${version}</small></p>`,
  )
}

export const documentContract = secured({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getDocument',
  tags: ['Service'],
  summary: 'This document',
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
              title: TITLE,
              version,
              description: 'A video or animated image goes in; a preview and motion photos come out.',
            },
            tags: TAGS,
            servers: [{ url: context.var.publicUrl }],
          }),
        ),
      )
    },
  }
}
