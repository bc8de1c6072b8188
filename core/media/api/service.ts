import { createRoute, z } from '@hono/zod-openapi'
import { failureOf } from '#core/http/errorResponse'
import { statusPage } from '#core/http/plainPage'
import { type WebPage, webPageResponse } from '#core/http/webPage'
import { ffmpegNotes } from '../ffmpeg/ffmpegVersion'
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

export function healthRoute(readiness: Pick<Readiness, 'check'>): MediaRoute {
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
 * The studio, as the local host serves it. It holds no secret and needs no token.
 * @param bucketOrigin where uploads and redirected previews go, if there is a bucket
 */
export function studioRoute(page: WebPage, bucketOrigin: string | undefined): MediaRoute {
  const storeOrigins = bucketOrigin === undefined ? [] : [bucketOrigin]
  return plainRoute(pageContract, () => webPageResponse(page, storeOrigins))
}

/** The page needs no token, so it shows what is remembered and checks nothing itself. */
export function pageRoute(readiness: Pick<Readiness, 'remembered'>, version: string): MediaRoute {
  return validatedRoute(pageContract, (context) => {
    const last = readiness.remembered()
    const { state, health } = stateOf(last)
    const page = statusPage({
      title: 'Motion photo API',
      description:
        'A video or animated image goes in; a motion photo that phone galleries recognise comes out.',
      state,
      health,
      version,
      notes: last?.ffmpeg ? ffmpegNotes(last.ffmpeg) : [],
    })
    return context.html(page, 200)
  })
}

function stateOf(last: ReturnType<Readiness['remembered']>) {
  if (!last)
    return { state: 'It is running. HEAD /health tells whether it can work.', health: 'idle' } as const
  if (last.problem === undefined) return { state: 'It is ready.', health: 'good' } as const
  const { detail } = failureOf(last.problem).error
  return { state: `It cannot work now: ${detail}`, health: 'bad' } as const
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
