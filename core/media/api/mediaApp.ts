import { OpenAPIHono } from '@hono/zod-openapi'
import type { Log } from '@lantern-room/base'
import { ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import {
  baseUrl,
  bearerAuth,
  clientAddress,
  createTokenAttempts,
  crossOrigin,
  failureOf,
  refuseInvalid,
  requestLog,
} from '@lantern-room/base/http'
import { clientOf } from '@lantern-room/clients'
import type { Context } from 'hono'
import type { MediaConfig } from '../config'
import { convertContract, motionPhotoContract } from './convert'
import { honoPath, type MediaEnv, type MediaHono, type MediaRoute, type Seen } from './mediaRoute'
import { extractContract, inspectContract, repairContract } from './photos'
import { frameContract, stripContract, thumbnailContract } from './pictures'
import { prepareContract } from './prepare'
import { previewContract } from './preview'
import { documentContract, healthContract, pageContract } from './service'
import { cleanupContract, sessionContract } from './sessions'
import {
  allowUploadContract,
  cancelUploadContract,
  followUploadContract,
  receiveUploadContract,
} from './uploads'

/** The whole HTTP contract: every host serves this function. */
export type App = (request: Request, seen?: Seen) => Promise<Response>

export type MediaAppDependencies = {
  readonly config: Pick<MediaConfig, 'tokens' | 'publicBaseUrl' | 'trustProxy' | 'allowedOrigins'>
  readonly clock: Clock
  readonly log: Log
}

/**
 * The media API as a function from request to response.
 * @param routes what this host serves. The other addresses of the API are known all the same: they are in the document,
 *   answer 405 to a wrong method, and 500 to the right one, which the gateway should have sent to another function
 * @example createMediaApp({ config, clock, log }, documentRoutes('1.0.0'))
 */
export function createMediaApp(dependencies: MediaAppDependencies, routes: readonly MediaRoute[]): App {
  const app: MediaHono = new OpenAPIHono<MediaEnv>({ defaultHook: refuseInvalid() })
  addMiddleware(app, dependencies)
  for (const contract of CONTRACTS) {
    const route = routes.find((one) => one.contract === contract)
    if (route) route.register(app)
    else {
      app.openAPIRegistry.registerPath(contract)
      app.on(contract.method.toUpperCase(), honoPath(contract.path), () => {
        throw new ServiceError('internal', 'This function does something else. Tell the operator.')
      })
    }
  }
  for (const path of new Set(CONTRACTS.map((contract) => contract.path))) refuseOtherMethods(app, path)
  // Returned and not thrown: a thrown error would skip the middleware that still has to add its headers.
  app.notFound((context) => errorResponse(new ServiceError('not-found', NOTHING_HERE), context))
  app.onError(errorResponse)
  completeDocument(app)
  return async (request, seen) => app.fetch(request, { ...seen })
}

function addMiddleware(app: MediaHono, { config, clock, log }: MediaAppDependencies): void {
  app.use(requestLog({ log, now: clock.unixTime }))
  app.use(crossOrigin(config.allowedOrigins, isUpload))
  if (config.tokens.length > 0) {
    const attempts = createTokenAttempts(clock)
    app.use(
      bearerAuth(config.tokens, needsNoToken, {
        attempt: (context, accepted) => attempts.take(addressOf(context), accepted, context.req.raw.signal),
        onAccepted: (context, token) => context.set('token', token),
      }),
    )
  }
  app.use((context, next) => {
    const { basePath = '' } = context.env
    const { publicBaseUrl, trustProxy } = config
    context.set('publicUrl', baseUrl(context.req.raw, { publicBaseUrl, trustProxy, basePath }))
    const client = clientOf(context.var.token, addressOf(context))
    context.set('client', client)
    context.set('clientName', client.name)
    return next()
  })

  function addressOf({ env, req }: Context<MediaEnv>): string {
    return clientAddress({ headers: req.raw.headers, remoteAddress: env.remoteAddress }, config)
  }
}

/**
 * <video> and <img> elements cannot send a header, and a session's id is a secret of its own; the page holds no secret.
 */
function needsNoToken(path: string): boolean {
  const isPicture = /^\/sessions\/[^/]+\/(?:strip\.jpg$|frames\/)/.test(path)
  return path.startsWith('/preview/') || isPicture || isUpload(path) || path === '/'
}

/** Where the file of an upload is sent. As in an address that a store has signed, the name in it is the permission. */
function isUpload(path: string): boolean {
  return path.startsWith('/uploads/')
}

function refuseOtherMethods(app: MediaHono, path: string): void {
  const methods = CONTRACTS.filter((contract) => contract.path === path).map(({ method }) =>
    method.toUpperCase(),
  )
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  app.all(honoPath(path), (context) => {
    context.header('Allow', [...allowed, 'OPTIONS'].join(', '))
    throw new ServiceError('method-not-allowed', `${context.req.path} takes ${methods.join(', ')} only.`)
  })
}

function errorResponse(thrown: unknown, context: Context<MediaEnv>): Response {
  const { error, status, headers } = failureOf(thrown)
  return context.json({ detail: error.detail, code: error.code }, status, headers)
}

function completeDocument({ openAPIRegistry }: MediaHono): void {
  openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })
  for (const contract of CONTRACTS.filter(({ method }) => method === 'get')) {
    const summary = `${contract.summary} (headers only)`
    const operationId = `${contract.operationId}Head`
    openAPIRegistry.registerPath({ ...contract, method: 'head', operationId, summary })
  }
}

const NOTHING_HERE = 'There is nothing at this address. GET /openapi.json lists what there is.'

/** Every route of the media API, in the order of its OpenAPI document. */
const CONTRACTS = [
  healthContract,
  allowUploadContract,
  receiveUploadContract,
  followUploadContract,
  cancelUploadContract,
  prepareContract,
  previewContract,
  convertContract,
  motionPhotoContract,
  thumbnailContract,
  frameContract,
  stripContract,
  cleanupContract,
  sessionContract,
  inspectContract,
  extractContract,
  repairContract,
  documentContract,
  pageContract,
] as const
