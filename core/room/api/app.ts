import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { ServiceError } from '#core/errors'
import { bearerAuth } from '#core/http/bearerAuth'
import { crossOrigin } from '#core/http/crossOrigin'
import { failureOf } from '#core/http/errorResponse'
import { requestLog } from '#core/http/requestLog'
import { refuseInvalidAs } from '#core/http/validation'
import { jsonBodies } from './bodies'
import type { RoomAppDependencies } from './dependencies'
import { refuseForeign } from './guards'
import { roomPage } from './page'
import { readHostRequest, readJoinRequest } from './readRequests'
import { toStateRecord, toStatusRecord } from './records'
import {
  documentRoute,
  feedRoute,
  gameRoute,
  gameServersRoute,
  gameStatusRoute,
  guestingRoute,
  guestRoute,
  hostRoute,
  idleRoute,
  launcherRoute,
  logRoute,
  metaRoute,
  networkServersRoute,
  pageRoute,
  ROUTES,
  retryRoute,
  scanningRoute,
  settingsRoute,
  shutdownRoute,
  stateRoute,
  statusRoute,
  stopRoute,
} from './routes'

/** GETs that change something: a HEAD must not do the same unseen. */
const GETS_WITH_EFFECT: readonly string[] = [scanningRoute.path, guestingRoute.path, idleRoute.path]

/** The room service over HTTP; `/ws` alone is answered by the host, which owns its connection. */
export function createRoomApp(api: RoomAppDependencies): (request: Request) => Promise<Response> {
  const { service, roomState, games, settings, config, meta, machineId, clock, log } = api
  const app = new OpenAPIHono({ defaultHook: refuseInvalidAs('invalid-request') })

  app.use(requestLog({ log: { ...log, info: log.debug }, now: clock.unixTime }))
  app.use(async (context, next) => {
    refuseForeign(context.req.raw.headers, config.allowedOrigins)
    await next()
  })
  app.use(crossOrigin(config.allowedOrigins))
  app.use(async (context, next) => {
    if (context.req.method === 'HEAD' && GETS_WITH_EFFECT.includes(context.req.path))
      throw notAllowed(context, 'GET')
    await next()
  })
  if (config.token !== undefined) app.use(bearerAuth(config.token, () => false))
  for (const check of jsonBodies()) app.use(check)

  const state = () => toStateRecord(roomState.view())
  /** A launcher that names itself with an order that is taken names itself for good. */
  const keepName = (name: string | null | undefined) => name && settings.setLauncherCustomString(name)

  app.openapi(metaRoute, (context) => context.json({ ...meta, overlayPort: String(api.roomPort()) }, 200))
  app.openapi(stateRoute, (context) => context.json(state(), 200))
  app.openapi(statusRoute, (context) => context.json(toStatusRecord(roomState.view()), 200))

  app.openapi(scanningRoute, (context) => {
    const { player, room, gamePort } = context.req.valid('query')
    service.host(readHostRequest({ playerName: player, room, gamePort }, 'room', api))
    return context.json(state(), 200)
  })

  app.openapi(guestingRoute, (context) => {
    const { player, room } = context.req.valid('query')
    service.join(readJoinRequest({ playerName: player, roomCode: room }, 'room', api))
    return context.json(state(), 200)
  })

  app.openapi(hostRoute, (context) => {
    const order = context.req.valid('json')
    service.host(readHostRequest(order, 'room', api))
    keepName(order.launcherCustomString)
    return context.json({ message: 'The room is being opened; GET /room/status tells how far it is.' }, 200)
  })

  app.openapi(guestRoute, (context) => {
    const order = context.req.valid('json')
    service.join(readJoinRequest(order, 'roomCode', api))
    keepName(order.launcherCustomString)
    return context.json({ message: 'The room is being joined; GET /room/status tells how far it is.' }, 200)
  })

  app.openapi(gameRoute, (context) => {
    const { gamePort } = context.req.valid('json')
    service.chooseGame(gamePort)
    return context.json({ message: `The world on port ${gamePort} is taken as soon as it answers.` }, 200)
  })

  app.openapi(stopRoute, async (context) => {
    const wasRunning = roomState.view().role !== null
    await service.stop()
    return context.json({ message: wasRunning ? 'Stopped.' : 'Nothing was running.' }, 200)
  })

  app.openapi(idleRoute, async (context) => {
    await service.stop()
    return context.json(state(), 200)
  })

  app.openapi(retryRoute, (context) =>
    context.json({ message: service.retry() ? 'Trying again.' : 'There is nothing to try again.' }, 200),
  )

  app.openapi(gameServersRoute, (context) => context.json(games.servers(), 200))
  app.openapi(gameStatusRoute, (context) => context.json(games.status(), 200))

  app.openapi(settingsRoute, (context) =>
    context.json(
      {
        launcherCustomString: settings.launcherCustomString() ?? null,
        scaffoldingPort: config.scaffoldingPort,
        heartbeatMs: config.heartbeatMs,
        direct: config.isDirect,
        private: config.isPrivate,
        nodes: [...config.nodes],
        lanInterfaces: config.lanInterfaces ? [...config.lanInterfaces] : null,
        machineId,
      },
      200,
    ),
  )

  app.openapi(launcherRoute, (context) => {
    settings.setLauncherCustomString(context.req.valid('json').launcherCustomString)
    return context.json({ message: 'The launcher custom string is set.' }, 200)
  })

  app.openapi(networkServersRoute, async (context) =>
    context.json({ servers: [...(await api.nodeHealth())] }, 200),
  )

  app.openapi(shutdownRoute, async (context) => {
    await service.stop()
    api.shutDown()
    return context.json({ message: 'Shutting down.' }, 200)
  })

  app.openapi(logRoute, (context) => context.text(api.logText(), 200, { 'Cache-Control': 'no-store' }))

  app.openAPIRegistry.registerPath(feedRoute)
  app.get(feedRoute.path, (context) => {
    context.header('Upgrade', 'websocket')
    context.header('Cache-Control', 'no-store')
    return context.json(
      {
        error: 'This address takes WebSocket connections only: connect with ws://.',
        code: 'upgrade-required',
      },
      426,
    )
  })

  app.openAPIRegistry.registerPath(documentRoute)
  app.get(documentRoute.path, (context) => context.json(apiDocument(context)))

  app.openapi(pageRoute, (context) =>
    context.html(roomPage({ version: meta.version, view: roomState.view() }), 200),
  )

  for (const { path, method } of ROUTES) {
    app.all(path, (context) => {
      throw notAllowed(context, method.toUpperCase())
    })
  }
  const refuse = (thrown: unknown, context: Context) => {
    const { error, status, headers } = failureOf(thrown)
    return context.json({ error: error.detail, code: error.code }, status, headers)
  }
  app.notFound((context) =>
    refuse(
      new ServiceError(
        'not-found',
        'There is nothing at this address. GET /openapi.json lists what there is.',
      ),
      context,
    ),
  )
  app.onError(refuse)
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })

  return async (request) => app.fetch(request)

  function apiDocument(context: Context) {
    return app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Room service',
        version: meta.version,
        description: 'Hosts or joins a game room by a room code.',
        license: { name: 'MIT' },
      },
      servers: [{ url: new URL(context.req.url).origin }],
    })
  }
}

function notAllowed(context: Context, method: string): ServiceError {
  const hasHead = method === 'GET' && !GETS_WITH_EFFECT.includes(context.req.path)
  context.header('Allow', [method, ...(hasHead ? ['HEAD'] : []), 'OPTIONS'].join(', '))
  return new ServiceError('method-not-allowed', `${context.req.path} takes ${method} only.`)
}
