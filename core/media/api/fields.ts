import { z } from '@hono/zod-openapi'

/** Fields that several requests and answers have in common. */

export const SESSION_EXAMPLE = '0f8fad5bd9cb469fa16570867728950e'

export const NOT_A_NUMBER = 'must be a finite number, such as 1.5'

/** The session that an address names. */
export const sessionInPath = z
  .string()
  .openapi({ param: { name: 'session_id', in: 'path' }, example: SESSION_EXAMPLE })

/** The message of a field: one text when it is missing, another when it has a wrong type. */
export const missingOr = (otherwise: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? 'is missing' : otherwise

export const sessionId = z
  .string({ error: missingOr('must be text') })
  .min(1, 'is missing')
  .openapi({ description: 'The session that POST /prepare created.', example: SESSION_EXAMPLE })
