import { OpenAPIHono } from '@hono/zod-openapi'
import { ServiceError } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import { bearerAuth, crossOrigin, failureOf, refuseInvalid, requestLog } from '@lantern-room/base/http'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { routePath } from 'hono/route'
import { createLinkRefusals } from './http/linkRefusal'
import { refuseForeign, refuseLed } from './http/refuseForeign'
import type { RoomAppDependencies, RoomRoute } from './http/roomRoute'

/** The room service over HTTP. The host process itself serves the WebSocket at `/ws`, because it owns the connection. */
export function createRoomApp(
  dependencies: RoomAppDependencies,
  routes: readonly RoomRoute[],
): (request: Request) => Promise<Response> {
  const app = new OpenAPIHono({ defaultHook: refuseInvalid('invalid-request') })
  const routeByPath = new Map(routes.map((route) => [routingPath(route.contract.path), route]))
  // The router's own choice: a path may be written in several ways.
  const routeOf = (context: Context) => routeByPath.get(routePath(context, -1))
  const refuseLink = createLinkRefusals(dependencies)
  addGuards(app, dependencies, routeOf)
  for (const route of routes) route.register(app, dependencies)
  for (const route of routes) {
    app.all(routingPath(route.contract.path), (context) => {
      throw methodNotAllowed(context, route)
    })
  }
  app.notFound((context) => errorResponse(context, nothingHere()))
  app.onError(
    (thrown, context) => refuseLink(thrown, context, routeOf(context)) ?? errorResponse(context, thrown),
  )
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })
  return async (request) => app.fetch(request)
}

/** The checks that every request passes before it reaches its route. */
function addGuards(
  app: OpenAPIHono,
  { service, config, clock, log }: RoomAppDependencies,
  routeOf: (context: Context) => RoomRoute | undefined,
): void {
  app.use(requestLog({ log: { ...log, info: log.debug }, now: clock.unixTime }))
  app.use(async (context, next) => {
    refuseForeign(context.req.raw.headers, config.allowedOrigins)
    await next()
  })
  app.use(crossOrigin(config.allowedOrigins))
  app.use(async (context, next) => {
    const route = routeOf(context)
    const isReading = context.req.method !== 'POST' && !hasEffect(route)
    if (isReading) return next()
    if (route && context.req.method === 'HEAD') throw methodNotAllowed(context, route)
    refuseLed(context.req.raw.headers, config.allowedOrigins)
    await next()
    // A request that is answered survives a crash.
    await service.kept()
  })
  // A browser that opens the page cannot send a header; the page holds no secret.
  if (config.token !== undefined) app.use(bearerAuth([{ token: config.token }], (path) => path === '/'))
  app.use(checkBody)
}

/** Whether a GET has side effects. A POST is recognised by its method. */
function hasEffect(route: RoomRoute | undefined): boolean {
  return route?.effect !== undefined && route.effect !== 'none'
}

/** `/guests/{id}` as the router writes it. */
function routingPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function methodNotAllowed(context: Context, route: RoomRoute): ServiceError {
  const method = route.contract.method.toUpperCase()
  const allowed = method === 'GET' && !hasEffect(route) ? 'GET, HEAD, OPTIONS' : `${method}, OPTIONS`
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

const MAX_BODY = 64 * 1024

const limitBody = bodyLimit({
  maxSize: MAX_BODY,
  onError() {
    throw new ServiceError('payload-too-large', `The body must not be larger than ${MAX_BODY} bytes.`)
  },
})

/** Refuses bodies that are not JSON or too large. @throws ServiceError in this order: 415, 413, 400 */
const checkBody: MiddlewareHandler = (context, next) => {
  if (context.req.method !== 'POST') return limitBody(context, next)
  refuseOtherThanJson(context)
  return limitBody(context, async () => {
    if (context.req.header('Content-Type')) await checkJson(context)
    await next()
  })
}

/** A body of another type would be ignored silently, and defaults used in its place. */
function refuseOtherThanJson({ req }: Context): void {
  const length = req.header('Content-Length')
  const hasBody = length === undefined ? req.header('Transfer-Encoding') !== undefined : length !== '0'
  const type = req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (hasBody && type !== 'application/json') {
    throw new ServiceError('unsupported-media', 'Send the body as JSON, with Content-Type: application/json.')
  }
}

/** Some clients send a Content-Type without a body: that is a request without fields. */
async function checkJson({ req }: Context): Promise<void> {
  const text = await req.text()
  if (text.trim() === '') {
    // Hono's cache holds promises, although its type says otherwise.
    Object.assign(req.bodyCache, { text: Promise.resolve('{}') })
    return
  }
  if (parseJson(text) === undefined) {
    throw new ServiceError('invalid-request', 'The body is not JSON: send an object, at least {}.')
  }
}
