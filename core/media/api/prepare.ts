import { createRoute, z } from '@hono/zod-openapi'
import type { Caller } from '../client'
import type { PrepareRequest } from '../prepare/createSession'
import type { Session } from '../session'
import { mayNameUpload, readUploadName } from '../uploads/uploadName'
import { callerOf, type MediaRoute, noteSession, smallBody } from './mediaRoute'
import { failures, SECURITY } from './responses'
import { sessionSummary, summarize } from './sessionSummary'

const prepareForm = z
  .object({
    file: z.string().optional().openapi({ format: 'binary', description: 'A video or an animated image.' }),
    upload_id: z
      .string()
      .optional()
      .openapi({ description: 'Instead of a file: the upload that POST /uploads allowed, after its PUT.' }),
  })
  .openapi('PrepareForm', { description: 'Either `file` or `upload_id`.' })

const prepareUpload = z.object({ upload_id: z.string() }).openapi('PrepareUpload')

export const prepareContract = createRoute({
  method: 'post',
  path: '/prepare',
  summary: 'Upload a video or animated image: makes a session and its preview',
  security: SECURITY,
  description:
    'With an upload_id, that upload is used up when this succeeds or the file is refused (400, 413, 415); after any other failure it can be prepared again.',
  request: {
    body: {
      required: true,
      content: {
        'multipart/form-data': { schema: prepareForm },
        'application/x-www-form-urlencoded': { schema: prepareUpload },
        'application/json': { schema: prepareUpload },
      },
    },
  },
  responses: {
    200: {
      description: 'The session.',
      content: { 'application/json': { schema: sessionSummary } },
    },
    ...failures(400, 401, 404, 409, 413, 415, 422, 429, 500, 503, 504),
  },
})

export type CreateSession = (request: PrepareRequest, caller: Caller) => Promise<Session>

/** A form with a file may be of any length, so no validator reads it: the use case takes it from the request itself. */
export function prepareRoute(createSession: CreateSession, sessionTtlSeconds: number): MediaRoute {
  return {
    contract: prepareContract,
    register: (app) => {
      app.use(prepareContract.path, (context, next) =>
        mayNameUpload(context.req.raw) ? smallBody(context, next) : next(),
      )
      app.openAPIRegistry.registerPath(prepareContract)
      app.post(prepareContract.path, async (context) => {
        const { raw } = context.req
        const request = mayNameUpload(raw) ? { uploadId: await readUploadName(raw) } : { form: raw }
        const session = await createSession(request, callerOf(context))
        noteSession(context, session.id)
        const { publicUrl } = context.var
        return context.json(summarize(session, { publicUrl, sessionTtlSeconds }), 200, {
          'Cache-Control': 'no-store',
        })
      })
    },
  }
}
