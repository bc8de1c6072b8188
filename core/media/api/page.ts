import { createRoute, z } from '@hono/zod-openapi'
import { failureOf } from '#core/http/errorResponse'
import { statusPage } from '#core/http/statusPage'
import { type WebPage, webPageResponse } from '#core/http/webPage'
import { ffmpegNotes } from '../ffmpeg/ffmpegVersion'
import type { Readiness } from '../readiness'
import type { MediaRoute } from './mediaRoute'

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
  return {
    contract: pageContract,
    register(app) {
      app.openAPIRegistry.registerPath(pageContract)
      app.get(pageContract.path, () => webPageResponse(page, storeOrigins))
    },
  }
}

/** The page needs no token, so it shows what is remembered and checks nothing itself. */
export function pageRoute(readiness: Pick<Readiness, 'remembered'>, version: string): MediaRoute {
  return {
    contract: pageContract,
    register: (app) =>
      app.openapi(pageContract, (context) => {
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
      }),
  }
}

function stateOf(last: ReturnType<Readiness['remembered']>) {
  if (!last)
    return { state: 'It is running. HEAD /health tells whether it can work.', health: 'idle' } as const
  if (last.problem === undefined) return { state: 'It is ready.', health: 'good' } as const
  const { detail } = failureOf(last.problem).error
  return { state: `It cannot work now: ${detail}`, health: 'bad' } as const
}
