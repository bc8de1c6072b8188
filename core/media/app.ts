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
import type { Log } from '../log'
import type { MediaConfig } from './config'
import { FPS } from './frames'
import type { MediaService } from './mediaService'
import { mediaPage } from './page'
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
  uploadRoute,
  uploadsRoute,
} from './routes'
import { isSessionId, type Session } from './session'
import { BYTES_TYPE, UPLOAD_TTL_SECONDS } from './uploads/upload'
import { mayNameUpload, readUploadName } from './uploads/uploadName'

/**
 * The whole HTTP contract: every host serves this function.
 * @param seen.basePath what stands before the request's path in the address that the client used, as `/dev`
 */
export type App = (request: Request, seen?: { readonly basePath: string }) => Promise<Response>

type Env = { Bindings: { basePath?: string }; Variables: { sessionId: string } }

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
  const app = new OpenAPIHono<Env>({ defaultHook: refuseInvalid })

  app.use(requestLog({ log, now }))
  app.use(crossOrigin(config.allowedOrigins, isUpload))
  if (config.token !== undefined) {
    // A <video> tag cannot send a header, and the preview's name is a secret of its own; the page says nothing.
    const isOpen = (path: string) => path.startsWith('/preview/') || isUpload(path) || path === '/'
    app.use(bearerAuth(config.token, isOpen))
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
  const small = [uploadsRoute, convertRoute, thumbnailRoute, cleanupRoute]
  for (const { path } of small) app.use(path, smallBody)
  app.use(prepareRoute.path, (context, next) =>
    mayNameUpload(context.req.raw) ? smallBody(context, next) : next(),
  )

  app.openapi(healthRoute, async (context) => {
    await service.checkHealth()
    return context.body(null, 200, { 'Cache-Control': 'no-store' })
  })

  app.openapi(uploadsRoute, async (context) => {
    const { size, content_type } = context.req.valid('json')
    const { upload, put } = await service.createUpload({ size, contentType: content_type })
    const body = {
      upload_id: upload.id,
      url: put?.url ?? `${publicUrl(context)}/uploads/${upload.id}`,
      headers: put?.headers ?? { 'Content-Type': BYTES_TYPE },
      expires_at: upload.createdAt + UPLOAD_TTL_SECONDS,
    }
    return context.json(body, 201, { 'Cache-Control': 'no-store' })
  })

  // Bodies that are streams of any length no validator may read: the service takes them from the request itself.
  app.openAPIRegistry.registerPath(uploadRoute)
  app.put(honoPath(uploadRoute.path), async (context) => {
    const { raw } = context.req
    await service.receiveUpload(context.req.param('upload_id') ?? '', raw, clientSignal(raw))
    return context.body(null, 200, { 'Cache-Control': 'no-store' })
  })

  app.openAPIRegistry.registerPath(prepareRoute)
  app.post(prepareRoute.path, async (context) => {
    const { raw } = context.req
    const order = mayNameUpload(raw) ? { uploadId: await readUploadName(raw) } : { form: raw }
    const session = await service.prepare(order, clientSignal(raw))
    noteSession(context, session.id)
    return context.json(sessionBody(context, session), 200, { 'Cache-Control': 'no-store' })
  })

  app.openapi(previewRoute, async (context) => {
    const [, id = ''] = /^(.*)\.mp4$/.exec(context.req.valid('param').file) ?? []
    noteSession(context, id)
    return previewResponse(service, id, context.req.raw)
  })

  app.openapi(convertRoute, async (context) => {
    const form = context.req.valid('form')
    noteSession(context, form.session_id)
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
    noteSession(context, session_id)
    return jpeg(await service.thumbnail({ sessionId: session_id, timestamp, width }), {})
  })

  app.openapi(cleanupRoute, async (context) => {
    const { session_id } = context.req.valid('json')
    noteSession(context, session_id)
    await service.cleanup(session_id)
    return context.json({ message: 'The session and its files are removed.' }, 200)
  })

  app.openapi(sessionRoute, async (context) => {
    const { session_id } = context.req.valid('param')
    noteSession(context, session_id)
    const session = await service.session(session_id)
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
    return context.html(mediaPage({ version, problem }), 200)
  })

  for (const { path, method } of ROUTES) {
    app.all(honoPath(path), (context) => {
      context.header('Allow', `${method === 'get' ? 'GET, HEAD' : method.toUpperCase()}, OPTIONS`)
      throw new ServiceError('method-not-allowed', `${context.req.path} takes ${method.toUpperCase()} only.`)
    })
  }
  const refuse = (thrown: unknown, context: Context<Env>) => {
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

  return async (request, seen) => app.fetch(request, { ...seen })

  function publicUrl(context: Context<Env>): string {
    return baseUrl(context.req.raw, { ...config, basePath: context.env.basePath ?? '' })
  }

  function sessionBody(context: Context<Env>, session: Session) {
    return {
      session_id: session.id,
      preview_url: `${publicUrl(context)}/preview/${session.id}.mp4`,
      duration: session.frames / FPS,
      width: session.width,
      height: session.height,
      has_audio: session.hasAudio,
      frames: session.frames,
      expires_at: Math.floor(session.createdAt + config.sessionTtlSeconds),
    }
  }

  function apiDocument(context: Context<Env>) {
    return app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Motion photo API',
        version,
        description: 'A video or animated image goes in; a preview and motion photos come out.',
        license: { name: 'MIT' },
      },
      servers: [{ url: publicUrl(context) }],
    })
  }
}

/** For the log, which takes nothing from strangers that only might be an id. */
function noteSession(context: Context<Env>, id: string): void {
  if (isSessionId(id)) context.set('sessionId', id)
}

/** `/uploads/{upload_id}` as `/uploads/:upload_id`. */
function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/** Where the file of an upload goes. As in an address that a store has signed, the name in it is the permission. */
function isUpload(path: string): boolean {
  return path.startsWith('/uploads/')
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
