import { createRoute, z } from '@hono/zod-openapi'
import type { Sessions } from '../sessions/sessions'
import { sessionId } from './fields'
import { type MediaRoute, noteSession, smallBody } from './mediaRoute'
import { failures, SECURITY } from './responses'

const cleanupRequest = z.object({ session_id: sessionId }).openapi('CleanupRequest')

const cleanupResult = z.object({ message: z.string() }).openapi('CleanupResult')

export const cleanupContract = createRoute({
  method: 'post',
  path: '/cleanup',
  operationId: 'removeSession',
  tags: ['Sessions'],
  summary: 'Remove a session and its files',
  security: SECURITY,
  request: { body: { required: true, content: { 'application/json': { schema: cleanupRequest } } } },
  responses: {
    200: { description: 'It is removed.', content: { 'application/json': { schema: cleanupResult } } },
    ...failures(400, 401, 404, 413, 415, 422, 503),
  },
})

export function cleanupRoute(sessions: Pick<Sessions, 'find' | 'remove'>): MediaRoute {
  return {
    contract: cleanupContract,
    register: (app) => {
      app.use(cleanupContract.path, smallBody)
      app.openapi(cleanupContract, async (context) => {
        const { session_id } = context.req.valid('json')
        noteSession(context, session_id)
        const { id } = await sessions.find(session_id)
        await sessions.remove(id)
        return context.json({ message: 'The session and its files are removed.' }, 200)
      })
    },
  }
}
