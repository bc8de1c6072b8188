import { createRoute, z } from '@hono/zod-openapi'
import { ServiceError } from '#core/errors'
import type { Sessions } from '../sessions/sessions'
import { sessionInPath } from './fields'
import { lastingJpeg } from './lastingJpeg'
import { type MediaRoute, noteSession } from './mediaRoute'
import { binary, failures, SECURITY } from './responses'

export const stripContract = createRoute({
  method: 'get',
  path: '/sessions/{session_id}/strip.jpg',
  operationId: 'getFilmstrip',
  tags: ['Sessions'],
  summary: 'The filmstrip of a session: small pictures below each other, as `strip` of the session says',
  security: SECURITY,
  request: { params: z.object({ session_id: sessionInPath }) },
  responses: {
    200: { description: 'The filmstrip, which never changes.', content: binary('image/jpeg') },
    304: { description: 'The client has it already.' },
    ...failures(401, 404, 503),
  },
})

export function stripRoute(sessions: Pick<Sessions, 'find' | 'readStrip'>): MediaRoute {
  return {
    contract: stripContract,
    register: (app) =>
      app.openapi(stripContract, async (context) => {
        const { session_id } = context.req.valid('param')
        noteSession(context, session_id)
        const session = await sessions.find(session_id)
        if (!session.strip) throw noStrip()
        return lastingJpeg(context.req.raw, `${session.id}-strip`, async () => {
          const jpeg = await sessions.readStrip(session)
          if (!jpeg) throw noStrip()
          return jpeg
        })
      }),
  }
}

function noStrip(): ServiceError {
  return new ServiceError('not-found', 'This session has no filmstrip. Ask for its frames by their numbers.')
}
