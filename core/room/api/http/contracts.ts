import { createRoute, type RouteConfig, z } from '@hono/zod-openapi'
import { type ErrorCode, ServiceError } from '@lantern-room/base'
import { refuseMisspelt } from '@lantern-room/base/fields'
import type { MiddlewareHandler } from 'hono'

/** The parts that the contracts of several routes share. */

/** The token is optional in the document, because it may not be configured. */
export const SECURITY = [{ bearer: [] }, {}]

/**
 * The contract of one operation, with a name of its own by which generators of clients call it: its method and its path,
 * `getStateGuesting` for `GET /state/guesting`. Names that are nearly those of its fields are refused.
 */
export function contractOf<R extends RouteConfig>(route: R, elsewhere?: Elsewhere) {
  const words = route.path.split(/[^A-Za-z0-9]+/)
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const { query, body } = route.request ?? {}
  const content = body?.content['application/json']
  const schema = content && 'schema' in content ? content.schema : undefined
  return createRoute({
    ...route,
    operationId: route.method + (name || 'Page'),
    middleware: refuseOthers(namesOf(query), namesOf(schema), elsewhere),
  })
}

/** Fields of another operation that are refused here, where they would be missed without a word. */
export type Elsewhere = { readonly fields: readonly string[]; readonly operation: string }

function namesOf(schema: unknown): readonly string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

/** A request whose `approval` is misspelt would open the room to everyone. */
function refuseOthers(
  inAddress: readonly string[],
  inBody: readonly string[],
  elsewhere: Elsewhere | undefined,
): MiddlewareHandler {
  return async ({ req }, next) => {
    const sent = [...new URL(req.url).searchParams]
    const misplaced = sent.find(([name]) => elsewhere?.fields.includes(name))?.[0]
    if (elsewhere && misplaced !== undefined) {
      const sentence = `${misplaced} is a field of ${elsewhere.operation}: send the request there.`
      throw new ServiceError('invalid-request', sentence)
    }
    refuseMisspelt(sent, inAddress)
    const order: unknown = inBody.length > 0 ? await req.json().catch(() => undefined) : undefined
    // What is no object is refused by the validator.
    if (typeof order === 'object' && order !== null) refuseMisspelt(Object.entries(order), inBody)
    await next()
  }
}

/** Codes of refused requests. */
export const ROOM_ERROR_CODES = [
  'invalid-request',
  'unauthorized',
  'forbidden',
  'not-found',
  'method-not-allowed',
  'conflict',
  'payload-too-large',
  'unsupported-media',
  'upgrade-required',
  'too-busy',
  'internal',
  'unavailable',
  'timeout',
] as const satisfies readonly (ErrorCode | 'upgrade-required')[]

const errorBody = z
  .object({
    error: z.string().openapi({ description: 'One sentence: what is wrong and what to do.' }),
    code: z.enum(ROOM_ERROR_CODES).openapi({ description: 'Stable, for programs.' }),
    stage: z.string().optional(),
    hint: z.string().optional(),
  })
  .openapi('Error')

export const message = z.object({ message: z.string() }).openapi('Message')

export function failure(description: string) {
  return { description, content: json(errorBody) }
}

/** A browser is shown a page instead. */
export const refusal = {
  description:
    'The request comes from a foreign web page, or under a foreign host name; or a browser was led to an address that does something.',
  content: { ...json(errorBody), 'text/html': { schema: z.string() } },
}

/** Failures of every route. */
export const GUARDED = {
  401: failure('The bearer token is missing or wrong.'),
  403: refusal,
  431: { description: 'The address and the headers are longer than 16 KiB; there is no body.' },
}
export const BAD_INPUT = { 400: failure('A field is wrong; `error` names it.') }
export const WRONG_STATE = { 409: failure('A role is running, or none is: the state does not fit.') }
export const BAD_BODY = {
  ...BAD_INPUT,
  413: failure('The body is too large.'),
  415: failure('The body is no JSON.'),
}

/** Status 200 with a JSON body of this schema, and the failures. */
export function responses<S extends z.ZodType, F extends object>(schema: S, failures: F) {
  return { 200: { description: 'Done.', content: json(schema) }, ...GUARDED, ...failures }
}

export function json<S>(schema: S) {
  return { 'application/json': { schema } }
}
