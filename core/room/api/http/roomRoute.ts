import { type OpenAPIHono, z } from '@hono/zod-openapi'
import type { GameList, LocalService } from '@lantern-room/game'
import type { RoomConfig } from '../../config'
import type { DoctorRecord } from '../../doctor/diagnosis'
import type { CheckNode } from '../../nodes/nodeHealth'
import type { ReportRecord } from '../../report/report'
import type { RoomApiDependencies } from '../../roomApiDependencies'
import type { Invite } from '../../service/hosting/invite'
import type { CheckRoom } from '../../service/kept/roomChecks'
import type { RoomKeeper } from '../../service/kept/roomKeeper'
import type { SavedRooms } from '../../service/kept/savedRooms'
import type { Settings } from '../../service/kept/settings'
import type { RoomLog } from '../../service/log/roomLog'
import type { RoomService } from '../../service/roomService'
import type { RoomState } from '../../service/state/roomState'
import type { PortGuard } from '../../service/world/portGuard'
import {
  BAD_BODY,
  BAD_INPUT,
  contractOf,
  type Elsewhere,
  json,
  message,
  responses,
  SECURITY,
} from './contracts'

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

/** What an operation takes, and how it may fail. A body may be missing unless it is required. */
type Terms<P, B> = {
  readonly params?: P
  readonly body?: B
  readonly isRequired?: boolean
  readonly failures?: object
  readonly elsewhere?: Elsewhere
  readonly description?: string
  /** Of the response. */
  readonly headers?: Readonly<Record<string, string>>
}

type Fields = z.ZodObject | undefined
type Given<F extends Fields> = F extends z.ZodObject ? z.infer<F> : unknown
type Answer<G, A> = (given: G, dependencies: RoomAppDependencies, request: Request) => A | Promise<A>

/** A GET that is answered with a record. @param terms.params of its query */
export function recordRoute<S extends z.ZodType, Q extends Fields = undefined>(
  path: string,
  summary: string,
  schema: S,
  effect: Effect | 'none',
  answer: (dependencies: RoomAppDependencies, query: Given<Q>) => z.infer<S> | Promise<z.infer<S>>,
  terms: Terms<Q, undefined> = {},
): RoomRoute {
  const handle: Answer<Given<Q>, z.infer<S>> = (query, dependencies) => answer(dependencies, query)
  return { ...jsonRoute('get', path, summary, schema, terms, handle), effect }
}

/** A POST that is answered with a record. */
export function orderRoute<S extends z.ZodType, P extends Fields = undefined, B extends Fields = undefined>(
  path: string,
  summary: string,
  schema: S,
  terms: Terms<P, B>,
  answer: Answer<Given<P> & Given<B>, z.infer<S>>,
): RoomRoute {
  return jsonRoute('post', path, summary, schema, terms, answer)
}

/** A POST that is answered with a message: what `obey` returns. */
export function commandRoute<P extends Fields = undefined, B extends Fields = undefined>(
  path: string,
  summary: string,
  terms: Terms<P, B>,
  obey: Answer<Given<P> & Given<B>, string>,
): RoomRoute {
  return orderRoute(path, summary, message, terms, async (...given) => ({ message: await obey(...given) }))
}

function jsonRoute<M extends 'get' | 'post', G>(
  method: M,
  path: string,
  summary: string,
  schema: z.ZodType,
  { params, body, isRequired = false, failures, elsewhere, description, headers }: Terms<Fields, Fields>,
  answer: Answer<G, unknown>,
) {
  const contract = contractOf(
    {
      method,
      path,
      summary,
      ...(description && { description }),
      security: SECURITY,
      request: {
        ...(params && (method === 'get' ? { query: params } : { params })),
        ...(body && { body: { required: isRequired, content: json(body) } }),
      },
      responses: responses(schema, { ...(body ? BAD_BODY : params && BAD_INPUT), ...failures }),
    },
    elsewhere,
  )
  const register: RoomRoute['register'] = (app, dependencies) =>
    app.openapi(contract, async (context) => {
      const [fields, query, order] = (['param', 'query', 'json'] as const).map((part) =>
        context.req.valid(part as never),
      )
      const given = Object.assign({}, fields, query, order) as G
      return context.json(await answer(given, dependencies, context.req.raw), 200, headers) as never
    })
  return { contract, register }
}

/** In the languages of the refusal, after "The address would" and “地址会”. Without anything of a request. */
export type Effect = { readonly en: string; readonly zh: string }

type OfMachine = Pick<RoomApiDependencies, 'listMods' | 'gameName' | 'page' | 'shutDown' | 'clock'>

export type RoomAppDependencies = OfMachine & {
  doctor(): Promise<DoctorRecord>
  report(): Promise<ReportRecord>
  readonly service: RoomService
  readonly roomState: RoomState
  readonly games: Pick<GameList, 'games'>
  /** Services of this machine that could be shared; asked once for calls at the same time. */
  readonly localServices: () => Promise<LocalService[]>
  readonly portGuard: PortGuard
  /** Links to the hosted room; undefined when none is hosted. */
  readonly invite: Invite
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
  readonly log: RoomLog
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
