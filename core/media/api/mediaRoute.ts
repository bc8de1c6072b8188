import type { OpenAPIHono, RouteConfig, RouteHandler } from '@hono/zod-openapi'
import { type Log, ServiceError } from '@lantern-room/base'
import { clientSignal } from '@lantern-room/base/http'
import { type Caller, type Client, type ServiceToken, shownClient } from '@lantern-room/clients'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { isId } from '../sessions/session'
import { hasSmallFields } from '../uploads/smallFields'

/** Facts about a request that only the host can see. */
export type Seen = {
  /** The prefix of the request's path in the client's URL, such as `/dev`. @default none */
  readonly basePath?: string | undefined
  /** The IP address that the request came from. @default not known */
  readonly remoteAddress?: string | undefined
}

/** The part of the request's context that is available to every route of the media API. */
export type MediaEnv = {
  Bindings: Seen
  Variables: {
    /** The address under which the client reached the service, without a final slash. */
    publicUrl: string
    /** Where the request has one. */
    token: ServiceToken | undefined
    client: Client
    /** For the log; undefined for a client without a name. */
    clientName: string | undefined
    sessionId: string
    requestId: string
  }
}

export type MediaHono = OpenAPIHono<MediaEnv>

/** One method on one path. Hosts register the routes that they serve; see `createMediaApp`. */
export type MediaRoute = {
  /** As the request is validated, and as the OpenAPI document shows it. */
  readonly contract: RouteConfig
  register(app: MediaHono): void
}

/** Bytes. Bodies that are no upload have a few hundred. */
const MAX_SMALL_BODY = 64 * 1024

/** Middleware for routes whose body is no upload. @throws ServiceError `payload-too-large` */
export const smallBody = bodyLimit({
  maxSize: MAX_SMALL_BODY,
  onError: () => {
    throw new ServiceError(
      'payload-too-large',
      `The request body must not be larger than ${MAX_SMALL_BODY} bytes.`,
    )
  },
})

/** A route whose request a validator reads, as the contract says. */
export function validatedRoute<Contract extends RouteConfig>(
  contract: Contract,
  answer: RouteHandler<Contract, MediaEnv>,
): MediaRoute {
  return {
    contract,
    register(app) {
      app.openapi(contract, answer)
    },
  }
}

type Answer = (context: Context<MediaEnv>) => Response | Promise<Response>

/** A route whose request no validator reads; the contract is only documented. @param before a middleware for the whole path */
export function plainRoute(
  contract: RouteConfig,
  answer: Answer,
  before?: MiddlewareHandler<MediaEnv>,
): MediaRoute {
  return {
    contract,
    register(app) {
      if (before) app.use(contract.path, before)
      app.openAPIRegistry.registerPath(contract)
      app.on(contract.method.toUpperCase(), honoPath(contract.path), answer)
    },
  }
}

/** A route that takes a file. Its form may be of any length: the use case takes it from the request. Every other body is bounded. */
export function fileRoute(contract: RouteConfig, answer: Answer): MediaRoute {
  return plainRoute(contract, answer, (context, next) =>
    hasSmallFields(context.req.raw) ? smallBody(context, next) : next(),
  )
}

export function callerOf(context: Context<MediaEnv>): Caller {
  return { client: context.var.client, signal: clientSignal(context.req.raw) }
}

/** Adds the session's id to the request's log line. Text from a client is logged only if it is a well-formed id. */
export function noteSession(context: Context<MediaEnv>, id: string): void {
  if (isId(id)) context.set('sessionId', id)
}

/** Logs what a client has removed, and which client that was. */
export function auditRemoval(
  log: Pick<Log, 'info'>,
  { var: { requestId, client } }: Context<MediaEnv>,
  what: { readonly session_id: string } | { readonly upload_id: string },
): void {
  log.info('removed', { request_id: requestId, ...shownClient(client), ...what })
}

/** Turns `/uploads/{upload_id}` into `/uploads/:upload_id`. Of `{session_id}.mp4` the parameter has the ending, too. */
export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}\.(\w+)/g, ':$1{[^/]+\\.$2}').replace(/\/\{(\w+)\}/g, '/:$1')
}
