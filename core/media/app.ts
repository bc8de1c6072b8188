import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { ServiceError } from '../errors'
import { baseUrl } from '../http/baseUrl'
import { bearerAuth } from '../http/bearerAuth'
import { clientSignal } from '../http/clientSignal'
import { crossOrigin } from '../http/crossOrigin'
import { failureOf } from '../http/errorResponse'
import { requestLog } from '../http/requestLog'
import { refuseInvalid } from '../http/validation'
import type { MediaConfig } from './config'
import { FPS } from './frames'
import type { MediaService } from './mediaService'
import { statusPage } from './page'
import type { Log } from './ports'
import { previewResponse } from './previewResponse'
import {
  cleanupRoute,
  convertRoute,
  documentRoute,
  healthRoute,
  pageRoute,
  prepareRoute,
  previewRoute,
  ROUTES,
  sessionRoute,
  thumbnailRoute,
} from './routes'
import type { Session } from './session'

/** The whole HTTP contract: every host serves this function. */
export type App = (request: Request) => Promise<Response>

export type MediaAppDependencies = {
  readonly service: MediaService
  readonly config: Pick<
    MediaConfig,
    'token' | 'sessionTtlSeconds' | 'publicBaseUrl' | 'trustProxy' | 'allowedOrigins'
  >
  readonly version: string
  readonly now: () => number
  readonly log: Log
}

/** Bodies that are no upload are a few hundred bytes. */
const MAX_SMALL_BODY = 64 * 1024

export function createMediaApp(dependencies: MediaAppDependencies): App {
  const { service, config, version, now, log } = dependencies
  const app = new OpenAPIHono({ defaultHook: refuseInvalid })

  app.use(requestLog({ log, now }))
  app.use(crossOrigin(config.allowedOrigins))
  if (config.token !== undefined) {
    // A <video> tag cannot send a header, and the preview's name is a secret of its own; the page says nothing.
    app.use(bearerAuth(config.token, (path) => path.startsWith('/preview/') || path === '/'))
  }
  const smallBody = bodyLimit({
    maxSize: MAX_SMALL_BODY,
    onError: () => {
      throw new ServiceError(
        'payload-too-large',
        `The request body must not be larger than ${MAX_SMALL_BODY} bytes.`,
      )
    },
  })
  for (const path of [convertRoute.path, thumbnailRoute.path, cleanupRoute.path]) app.use(path, smallBody)

  app.openapi(healthRoute, async (context) => {
    await service.checkHealth()
    return context.body(null, 200, { 'Cache-Control': 'no-store' })
  })

  // Its body is a stream of any length, which no validator may read: the service takes it from the request itself.
  app.openAPIRegistry.registerPath(prepareRoute)
  app.post(prepareRoute.path, async (context) => {
    const session = await service.prepare(context.req.raw, clientSignal(context.req.raw))
    return context.json(sessionBody(context, session), 200, { 'Cache-Control': 'no-store' })
  })

  app.openapi(previewRoute, async (context) => {
    const [, id = ''] = /^(.*)\.mp4$/.exec(context.req.valid('param').file) ?? []
    return previewResponse(service, id, context.req.raw)
  })

  app.openapi(convertRoute, async (context) => {
    const form = context.req.valid('form')
    const { photo, takenAt } = await service.convert(
      {
        sessionId: form.session_id,
        rangeStart: form.range_start,
        rangeEnd: form.range_end,
        coverTime: form.cover_time,
        speed: form.speed,
        profile: form.profile,
        mute: form.mute,
      },
      clientSignal(context.req.raw),
    )
    return jpeg(photo, { 'Content-Disposition': `attachment; filename="${photoName(takenAt)}"` })
  })

  app.openapi(thumbnailRoute, async (context) => {
    const { session_id, timestamp, width } = context.req.valid('json')
    return jpeg(await service.thumbnail({ sessionId: session_id, timestamp, width }), {})
  })

  app.openapi(cleanupRoute, async (context) => {
    await service.cleanup(context.req.valid('json').session_id)
    return context.json({ message: 'The session and its files are removed.' }, 200)
  })

  app.openapi(sessionRoute, async (context) => {
    const session = await service.session(context.req.valid('param').session_id)
    const body = {
      ...sessionBody(context, session),
      created_at: session.createdAt,
      duration_ms: session.durationMs,
    }
    return context.json(body, 200, { 'Cache-Control': 'no-store' })
  })

  app.openAPIRegistry.registerPath(documentRoute)
  app.get(documentRoute.path, (context) => context.json(apiDocument(context)))

  app.openapi(pageRoute, async (context) => {
    const problem = await service.checkHealth().then(
      () => undefined,
      (error: unknown) => failureOf(error).error.detail,
    )
    return context.html(statusPage({ version, problem }), 200)
  })

  for (const { path, method } of ROUTES) {
    app.all(path.replace(/\{(\w+)\}/g, ':$1'), (context) => {
      context.header('Allow', method === 'get' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS')
      throw new ServiceError('method-not-allowed', `${context.req.path} takes ${method.toUpperCase()} only.`)
    })
  }
  const refuse = (thrown: unknown, context: Context) => {
    const { error, status, headers } = failureOf(thrown)
    return context.json({ detail: error.detail, code: error.code }, status, headers)
  }
  // Answered and not thrown: an error from here would pass by the middleware that has yet to finish its headers.
  app.notFound((context) => refuse(nothingHere(), context))
  app.onError(refuse)

  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })
  for (const route of ROUTES.filter(({ method }) => method === 'get')) {
    app.openAPIRegistry.registerPath({ ...route, method: 'head', summary: `${route.summary} (headers only)` })
  }

  return async (request) => app.fetch(request)

  function sessionBody(context: Context, session: Session) {
    return {
      session_id: session.id,
      preview_url: `${baseUrl(context.req.raw, config)}/preview/${session.id}.mp4`,
      duration: session.frames / FPS,
      width: session.width,
      height: session.height,
      has_audio: session.hasAudio,
      frames: session.frames,
      expires_at: Math.floor(session.createdAt + config.sessionTtlSeconds),
    }
  }

  function apiDocument(context: Context) {
    return app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Motion photo API',
        version,
        description: 'A video or animated image goes in; a preview and motion photos come out.',
        license: { name: 'MIT' },
      },
      servers: [{ url: baseUrl(context.req.raw, config) }],
    })
  }
}

function nothingHere(): ServiceError {
  return new ServiceError(
    'not-found',
    'There is nothing at this address. GET /openapi.json lists what there is.',
  )
}

function jpeg(bytes: Uint8Array, headers: Record<string, string>): Response {
  return new Response(bytes, {
    headers: {
      'Content-Type': 'image/jpeg',
      'Content-Length': String(bytes.length),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
  })
}

/** `IMG_YYYYMMDD_HHMMSS_MP.jpg`: galleries know a motion photo by the end of its name, too. */
function photoName(takenAt: Date): string {
  const [date = '', time = ''] = takenAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').split('T')
  return `IMG_${date}_${time}_MP.jpg`
}
