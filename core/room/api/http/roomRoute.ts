import { createRoute, type OpenAPIHono, type RouteConfig, type RouteHandler, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Clock } from '#core/async/clock'
import type { WebPage } from '#core/http/webPage'
import type { Log } from '#core/log'
import type { RoomConfig } from '../../config'
import type { DoctorRecord } from '../../doctor/diagnosis'
import type { GameList } from '../../game/gameList'
import type { LocalService } from '../../game/localServices'
import type { CheckNode } from '../../nodes/nodeHealth'
import type { ListMods } from '../../ports'
import type { ReportRecord } from '../../report/report'
import type { Invite } from '../../service/hosting/invite'
import type { CheckRoom } from '../../service/kept/roomChecks'
import type { RoomKeeper } from '../../service/kept/roomKeeper'
import type { SavedRooms } from '../../service/kept/savedRooms'
import type { Settings } from '../../service/kept/settings'
import type { RoomService } from '../../service/roomService'
import type { RoomState } from '../../service/state/roomState'
import type { PortGuard } from '../../service/world/portGuard'
import { BAD_BODY, json, message, responses, SECURITY } from './contracts'

/** One operation of the HTTP API: its contract and its handler. */
export type RoomRoute = (GetRoute | PostRoute) & {
  /** Adds the handler to the app and the contract to its OpenAPI document. */
  register(app: OpenAPIHono, dependencies: RoomAppDependencies): void
}

type GetRoute = {
  readonly contract: { readonly method: 'get'; readonly path: string }
  /**
   * What the GET does besides telling what the service knows: it starts or stops something, or asks others over the network each
   * time. Such a GET refuses HEAD, and what a browser opens by its address; the refusal says these words.
   */
  readonly effect: Effect | 'none'
}

/** A POST always has an effect. */
type PostRoute = {
  readonly contract: { readonly method: 'post'; readonly path: string }
  readonly effect?: undefined
}

export function getRoute<Contract extends RouteConfig & { readonly method: 'get' }>(
  contract: Contract,
  effect: Effect | 'none',
  handle: RoomHandler<Contract>,
): RoomRoute {
  return { contract, effect, register: registering(contract, handle) }
}

export function postRoute<Contract extends RouteConfig & { readonly method: 'post' }>(
  contract: Contract,
  handle: RoomHandler<Contract>,
): RoomRoute {
  return { contract, register: registering(contract, handle) }
}

/** A GET without parameters that is answered with a record. @param headers of the response */
export function recordRoute<S extends z.ZodType>(
  path: string,
  summary: string,
  schema: S,
  effect: Effect | 'none',
  answer: (dependencies: RoomAppDependencies) => z.infer<S> | Promise<z.infer<S>>,
  headers: Readonly<Record<string, string>> = {},
): RoomRoute {
  const given = { path, summary, security: SECURITY, responses: responses(schema, {}) }
  const contract = createRoute({ method: 'get', ...given })
  const handle = async (context: Context, dependencies: RoomAppDependencies) =>
    context.json(await answer(dependencies), 200, headers)
  return { contract, effect, register: registering(contract, handle) }
}

/** A POST that is answered with a message: what `obey` returns. @param body undefined for one without fields */
export function commandRoute<S extends z.ZodType>(
  path: string,
  summary: string,
  body: { readonly schema: S; readonly required: boolean } | undefined,
  failures: object,
  obey: (given: z.infer<S>, dependencies: RoomAppDependencies) => string | Promise<string>,
): RoomRoute {
  const contract = createRoute({
    method: 'post',
    path,
    summary,
    security: SECURITY,
    ...(body && { request: { body: { required: body.required, content: json(body.schema) } } }),
    responses: responses(message, { ...(body && BAD_BODY), ...failures }),
  })
  const handle = async (context: Context, dependencies: RoomAppDependencies) =>
    context.json({ message: await obey(context.req.valid('json' as never), dependencies) }, 200)
  return { contract, register: registering(contract, handle) }
}

type RoomHandler<Contract extends RouteConfig> = (
  context: Parameters<RouteHandler<Contract>>[0],
  dependencies: RoomAppDependencies,
) => ReturnType<RouteHandler<Contract>>

function registering<Contract extends RouteConfig>(
  contract: Contract,
  handle: RoomHandler<Contract>,
): RoomRoute['register'] {
  return (app, dependencies) => {
    const handler: RouteHandler<Contract> = (context) => handle(context, dependencies)
    // The app's own type of it is the same, which cannot be told as long as the contract is any.
    app.openapi(contract, handler as never)
  }
}

/** In the languages of the refusal, after "The address would" and “地址会”. Without anything of a request. */
export type Effect = { readonly en: string; readonly zh: string }

export type RoomAppDependencies = {
  readonly service: RoomService
  readonly roomState: RoomState
  readonly games: Pick<GameList, 'servers' | 'status'>
  /** Services of this machine that could be shared; asked once for calls at the same time. */
  readonly localServices: () => Promise<LocalService[]>
  readonly portGuard: PortGuard
  /** Links to the hosted room; undefined when none is hosted. */
  readonly invite: Invite
  readonly listMods: ListMods
  readonly settings: Settings
  readonly keeper: Pick<RoomKeeper, 'left'>
  readonly savedRooms: Pick<SavedRooms, 'list' | 'forget' | 'restore'>
  readonly checkRoom: CheckRoom
  readonly config: RoomConfig
  readonly meta: RoomMeta
  readonly machineId: string
  /** The room protocol's port: the one in use while hosting, else the configured one. */
  readonly roomPort: () => number
  /** Checks a shared node, each at most once a minute. */
  readonly checkNode: CheckNode
  /** The last log entries as text, with secrets redacted. */
  readonly logText: () => string
  /** Checks what works on this machine. Concurrent callers share one run. */
  readonly doctor: () => Promise<DoctorRecord>
  /** A bundle for those who help, redacted. */
  readonly report: () => Promise<ReportRecord>
  readonly page: WebPage
  /** Ends the program once the response is sent. */
  readonly shutDown: () => void
  readonly clock: Clock
  readonly log: Log
}

export const metaRecord = z
  .object({
    version: z.string(),
    compileTimestamp: z.string().openapi({ format: 'date-time' }),
    networkVersion: z.string(),
    overlayPort: z.string(),
    targetTuple: z.string(),
    targetArch: z.string(),
    targetVendor: z.string(),
    targetOS: z.string(),
    targetEnv: z.string(),
    contractVersion: z.string().openapi({
      description: 'Additive: version of this API, major.minor; the major rises when clients have to change.',
    }),
    runId: z.string().openapi({ description: 'Additive: of this run of the program, as in the feed.' }),
  })
  .openapi('Meta')

/** The Meta record without the port. */
export type RoomMeta = Readonly<Omit<z.infer<typeof metaRecord>, 'overlayPort'>>
