import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { ServiceError } from '#core/errors'
import { bearerAuth } from '#core/http/bearerAuth'
import { crossOrigin } from '#core/http/crossOrigin'
import { failureOf } from '#core/http/errorResponse'
import { requestLog } from '#core/http/requestLog'
import { refuseInvalidAs } from '#core/http/validation'
import { jsonBodies } from './jsonBodies'
import { refuseForeign, refuseForeignReferer } from './refuseForeign'
import type { RoomAppDependencies, RoomRoute } from './roomRoute'

/** The room service over HTTP. The host process itself serves the WebSocket at `/ws`, because it owns the connection. */
export function createRoomApp(
  dependencies: RoomAppDependencies,
  routes: readonly RoomRoute[],
): (request: Request) => Promise<Response> {
  const app = new OpenAPIHono({ defaultHook: refuseInvalidAs('invalid-request') })
  addGuards(app, dependencies, routes)
  for (const route of routes) route.register(app, dependencies)
  for (const route of routes) {
    app.all(routingPath(route.contract.path), (context) => {
      throw methodNotAllowed(context, route)
    })
  }
  app.notFound((context) => errorResponse(context, nothingHere()))
  app.onError((thrown, context) => errorResponse(context, thrown))
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })
  return async (request) => app.fetch(request)
}

/** What every request passes before it reaches its route. */
function addGuards(
  app: OpenAPIHono,
  { service, config, clock, log }: RoomAppDependencies,
  routes: readonly RoomRoute[],
): void {
  app.use(requestLog({ log: { ...log, info: log.debug }, now: clock.unixTime }))
  app.use(async (context, next) => {
    refuseForeign(context.req.raw.headers, config.allowedOrigins)
    await next()
  })
  app.use(crossOrigin(config.allowedOrigins))
  app.use(async (context, next) => {
    const route = routes.find(({ contract }) => contract.path === context.req.path)
    if (context.req.method === 'HEAD' && route?.hasSideEffect) throw methodNotAllowed(context, route)
    if (route?.hasSideEffect) refuseForeignReferer(context.req.raw.headers, config.allowedOrigins)
    await next()
    // An order that is answered survives a crash.
    if (context.req.method === 'POST' || route?.hasSideEffect) await service.kept()
  })
  if (config.token !== undefined) app.use(bearerAuth([{ token: config.token }], isPage))
  for (const check of jsonBodies()) app.use(check)
}

/** A browser that opens the page cannot send a header; the page holds no secret. */
function isPage(path: string): boolean {
  return path === '/'
}

/** `/guests/{id}` as the router writes it. */
function routingPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function methodNotAllowed(context: Context, { contract, hasSideEffect }: RoomRoute): ServiceError {
  const method = contract.method.toUpperCase()
  const allowed = method === 'GET' && !hasSideEffect ? 'GET, HEAD, OPTIONS' : `${method}, OPTIONS`
  context.header('Allow', allowed)
  return new ServiceError('method-not-allowed', `${context.req.path} supports ${method} only.`)
}

function nothingHere(): ServiceError {
  return new ServiceError(
    'not-found',
    'There is nothing at this address. GET /openapi.json lists what there is.',
  )
}

function errorResponse(context: Context, thrown: unknown): Response {
  const { error, status, headers } = failureOf(thrown)
  return context.json({ error: error.detail, code: error.code }, status, headers)
}
