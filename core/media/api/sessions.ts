import { createRoute, z } from '@hono/zod-openapi'
import type { Sessions } from '../sessions/sessions'
import { sessionInPath } from './fields'
import { type MediaRoute, noteSession } from './mediaRoute'
import { failures, SECURITY } from './responses'
import { sessionSummary, summarize } from './sessionSummary'

const sessionRecord = z
  .object({
    ...sessionSummary.shape,
    created_at: z.number().openapi({ description: 'Unix time in seconds.' }),
    duration_ms: z.int(),
  })
  .openapi('Session')

export const sessionContract = createRoute({
  method: 'get',
  path: '/sessions/{session_id}',
  operationId: 'getSession',
  tags: ['Sessions'],
  summary: 'What a session holds and when it expires',
  security: SECURITY,
  request: {
    params: z.object({ session_id: sessionInPath }),
  },
  responses: {
    200: { description: 'The session.', content: { 'application/json': { schema: sessionRecord } } },
    ...failures(401, 404, 503),
  },
})

export function sessionRoute(sessions: Pick<Sessions, 'find'>): MediaRoute {
  return {
    contract: sessionContract,
    register: (app) =>
      app.openapi(sessionContract, async (context) => {
        const { session_id } = context.req.valid('param')
        noteSession(context, session_id)
        const session = await sessions.find(session_id)
        const body = {
          ...summarize(session, context.var.publicUrl),
          created_at: session.createdAt,
          duration_ms: session.durationMs,
        }
        return context.json(body, 200, { 'Cache-Control': 'no-store' })
      }),
  }
}
