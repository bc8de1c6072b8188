import { createRoute, z } from '@hono/zod-openapi'
import {
  errorBody,
  gameChoice,
  gameServers,
  gameStatus,
  guestingQuery,
  guestOrder,
  hostOrder,
  launcherChoice,
  message,
  metaRecord,
  networkServers,
  scanningQuery,
  settingsRecord,
  stateRecord,
  statusRecord,
} from './schemas'

/** Every route of the room service, as it is validated and as the OpenAPI document shows it. */

const failure = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorBody } },
})

const GUARDED = {
  401: failure('The bearer token is missing or wrong.'),
  403: failure('The request comes from a foreign web page, or under a foreign host name.'),
}
const BAD_INPUT = { 400: failure('A field is wrong; `error` names it.') }
const WRONG_STATE = { 409: failure('A role is running, or none is: the state does not fit.') }
const BAD_BODY = {
  ...BAD_INPUT,
  413: failure('The body is too large.'),
  415: failure('The body is no JSON.'),
}

const SECURITY = [{ bearer: [] }, {}]
const json = <S>(schema: S) => ({ 'application/json': { schema } })

type Method = 'get' | 'post'

function answers<S extends z.ZodType, F extends object>(schema: S, failures: F) {
  return { 200: { description: 'Done.', content: json(schema) }, ...GUARDED, ...failures }
}

function plain<M extends Method, P extends string, S extends z.ZodType>(
  method: M,
  path: P,
  summary: string,
  schema: S,
) {
  return createRoute({ method, path, summary, security: SECURITY, responses: answers(schema, {}) })
}

function withBody<P extends string, B extends z.ZodType, F extends object>(
  path: P,
  summary: string,
  body: { schema: B; required: boolean },
  failures: F,
) {
  return createRoute({
    method: 'post',
    path,
    summary,
    security: SECURITY,
    request: { body: { required: body.required, content: json(body.schema) } },
    responses: answers(message, { ...BAD_BODY, ...failures }),
  })
}

export const metaRoute = plain(
  'get',
  '/meta',
  'Version and platform; 200 means that the service is there',
  metaRecord,
)
export const stateRoute = plain('get', '/state', 'The state', stateRecord)

export const scanningRoute = createRoute({
  method: 'get',
  path: '/state/scanning',
  summary: 'Host a room',
  security: SECURITY,
  request: { query: scanningQuery },
  responses: answers(stateRecord, { ...BAD_INPUT, ...WRONG_STATE }),
})

export const guestingRoute = createRoute({
  method: 'get',
  path: '/state/guesting',
  summary: 'Join a room',
  security: SECURITY,
  request: { query: guestingQuery },
  responses: answers(stateRecord, { ...BAD_INPUT, ...WRONG_STATE }),
})

export const idleRoute = plain('get', '/state/ide', 'Stop, as some launchers call it', stateRecord)
export const statusRoute = plain('get', '/room/status', 'The room in detail', statusRecord)

export const hostRoute = withBody(
  '/room/host/start',
  'Host a room',
  { schema: hostOrder, required: false },
  WRONG_STATE,
)
export const guestRoute = withBody(
  '/room/guest/start',
  'Join a room',
  { schema: guestOrder, required: true },
  WRONG_STATE,
)
export const gameRoute = withBody(
  '/room/host/game',
  'Choose or change the world while scanning or hosting',
  { schema: gameChoice, required: true },
  WRONG_STATE,
)
export const launcherRoute = withBody(
  '/config/launcher',
  'Set the launcher custom string',
  { schema: launcherChoice, required: false },
  {},
)
export const stopRoute = plain('post', '/room/stop', 'Stop; answers when everything is closed', message)
export const retryRoute = plain('post', '/room/retry', 'Run the failed attempt again', message)
export const gameServersRoute = plain('get', '/game/servers', 'Worlds announced on the LAN', gameServers)
export const gameStatusRoute = plain('get', '/game/status', 'How many worlds there are', gameStatus)
export const settingsRoute = plain('get', '/config', 'Settings', settingsRecord)
export const networkServersRoute = plain(
  'get',
  '/network/servers',
  'Shared nodes and their health',
  networkServers,
)
export const shutdownRoute = plain('post', '/shutdown', 'Stop the room and end the program', message)

export const logRoute = createRoute({
  method: 'get',
  path: '/log',
  summary: 'The last lines of the log; secrets are left out',
  security: SECURITY,
  request: { query: z.object({ fetch: z.string().optional() }) },
  responses: {
    200: { description: 'The log.', content: { 'text/plain': { schema: z.string() } } },
    ...GUARDED,
  },
})

/** Answered by the host, which owns the connection; described here. */
export const feedRoute = createRoute({
  method: 'get',
  path: '/ws',
  summary: 'The feed: a WebSocket of JSON messages',
  security: SECURITY,
  request: {
    query: z.object({
      since: z.string().optional().openapi({ description: 'Resume after this index.' }),
      token: z.string().optional().openapi({ description: 'The token, where headers cannot be set.' }),
    }),
  },
  responses: {
    101: { description: 'Messages of type state, profiles and log, each with its `index`.' },
    ...GUARDED,
    426: failure('This address takes WebSocket connections only.'),
    503: failure('Too many listeners.'),
  },
})

export const documentRoute = createRoute({
  method: 'get',
  path: '/openapi.json',
  summary: 'This document',
  security: SECURITY,
  responses: {
    200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: z.object({}) } } },
    ...GUARDED,
  },
})

export const pageRoute = createRoute({
  method: 'get',
  path: '/',
  summary: 'A page that says what this is',
  security: SECURITY,
  responses: {
    200: { description: 'A page.', content: { 'text/html': { schema: z.string() } } },
    ...GUARDED,
  },
})

export const ROUTES = [
  ...[metaRoute, stateRoute, scanningRoute, guestingRoute, idleRoute, statusRoute, hostRoute, guestRoute],
  ...[gameRoute, launcherRoute, stopRoute, retryRoute, gameServersRoute, gameStatusRoute, settingsRoute],
  ...[networkServersRoute, shutdownRoute, logRoute, feedRoute, documentRoute, pageRoute],
]
