import { createRoute, z } from '@hono/zod-openapi'
import { HTTP_STATUS } from '#core/http/errorResponse'
import { STAGES } from '../progress'
import type { UploadProgress } from '../uploads/followUpload'
import { SESSION_EXAMPLE } from './fields'
import type { MediaRoute } from './mediaRoute'
import { failures, SECURITY } from './responses'

/** GET /uploads/{upload_id}, which shows an upload, and DELETE, which cancels it. */

const progressFields = z
  .object({
    stage: z.enum(STAGES),
    percent: z.number().optional().openapi({ description: 'Of the stage, 0 to 100.' }),
    seconds_left: z.number().optional().openapi({ description: 'Until the end of the stage, estimated.' }),
    place: z.int().optional().openapi({ description: 'In the queue: 1 starts next.' }),
    received_bytes: z.int().optional(),
  })
  .openapi('PrepareProgress')

const failed = z
  .object({ code: z.string(), detail: z.string(), status: z.int() })
  .openapi('PrepareFailure', { description: 'As the ordinary answer would have told it.' })

/** The body of an event stream, for the document: the shapes of its events are components of their own. */
export const EVENTS = z.string().openapi({
  description:
    'Events `progress` (PrepareProgress), then one `result` (PrepareResult) or `error` (PrepareFailure: code, detail, status).',
  example: 'event: progress\ndata: {"stage":"preparing","percent":40,"seconds_left":3}\n\n',
})

const uploadProgress = z
  .object({
    upload_id: z.string(),
    state: z
      .enum(['allowed', 'receiving', 'received', 'preparing', 'done', 'failed', 'cancelled'])
      .openapi({ description: 'A failed upload with `expires_at` can be prepared again.' }),
    size: z.int().optional().openapi({ description: 'Bytes that were announced.' }),
    expires_at: z
      .int()
      .optional()
      .openapi({ description: 'Unix time in seconds; absent once it is used up.' }),
    progress: progressFields.optional(),
    session_id: z.string().optional().openapi({ description: 'Of a prepared upload.' }),
    error: failed.optional(),
  })
  .openapi('UploadProgress')

const cancelled = z.object({ message: z.string() }).openapi('CancelResult')

const params = z.object({
  upload_id: z.string().openapi({ param: { name: 'upload_id', in: 'path' }, example: SESSION_EXAMPLE }),
})

export const followUploadContract = createRoute({
  method: 'get',
  path: '/uploads/{upload_id}',
  operationId: 'followUpload',
  tags: ['Uploads'],
  summary: 'How far an upload is: while it arrives, waits, is prepared, and how that ended',
  description: 'The address is a secret and needs no token. Ask once a second at most.',
  security: SECURITY,
  request: { params },
  responses: {
    200: { description: 'The upload.', content: { 'application/json': { schema: uploadProgress } } },
    ...failures(401, 404, 503),
  },
})

export const cancelUploadContract = createRoute({
  method: 'delete',
  path: '/uploads/{upload_id}',
  operationId: 'cancelUpload',
  tags: ['Uploads'],
  summary: 'Cancel an upload, also while it is received or prepared',
  description:
    'The request that receives or prepares it, on whatever machine, ends within about a second with 409. A finished upload is 409.',
  security: SECURITY,
  request: { params },
  responses: {
    200: { description: 'It is cancelled.', content: { 'application/json': { schema: cancelled } } },
    ...failures(401, 404, 409, 503),
  },
})

export function followUploadRoute(follow: (id: string) => Promise<UploadProgress>): MediaRoute {
  return {
    contract: followUploadContract,
    register: (app) =>
      app.openapi(followUploadContract, async (context) => {
        const { upload_id } = context.req.valid('param')
        const body = { upload_id, ...shown(await follow(upload_id)) }
        return context.json(body, 200, { 'Cache-Control': 'no-store' })
      }),
  }
}

export function cancelUploadRoute(cancel: (id: string) => Promise<void>): MediaRoute {
  return {
    contract: cancelUploadContract,
    register: (app) =>
      app.openapi(cancelUploadContract, async (context) => {
        await cancel(context.req.valid('param').upload_id)
        return context.json({ message: 'The upload is cancelled.' }, 200, { 'Cache-Control': 'no-store' })
      }),
  }
}

function shown({ state, upload, status }: UploadProgress): Omit<z.infer<typeof uploadProgress>, 'upload_id'> {
  return {
    state,
    ...(upload && { size: upload.size, expires_at: upload.expiresAt }),
    ...(status && 'progress' in status && status.progress && { progress: status.progress }),
    ...(status?.state === 'done' && status.sessionId !== undefined && { session_id: status.sessionId }),
    ...(status?.state === 'failed' && { error: { ...status.error, status: HTTP_STATUS[status.error.code] } }),
  }
}
