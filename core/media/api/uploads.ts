import { z } from '@hono/zod-openapi'
import type { Log } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import { clientSignal } from '@lantern-room/base/http'
import type { Client, Told } from '@lantern-room/clients'
import { describeUpload, type UploadProgress } from '../uploads/followUpload'
import type { AllowedUpload } from '../uploads/receiveUpload'
import { BYTES_TYPE, isMediaType, type Upload } from '../uploads/upload'
import { missingOr, SESSION_EXAMPLE } from './fields'
import { auditRemoval, type MediaRoute, plainRoute, smallBody, validatedRoute } from './mediaRoute'
import { prepareFailure, progressFields } from './prepare'
import { binary, failures, secured } from './responses'
import { ALSO_AS_A_FORM, readSmallBody } from './smallBody'

/**
 * POST /uploads allows a large file to be sent; PUT /uploads/{upload_id} takes it, GET shows how far it is, and DELETE cancels
 * it.
 */

const uploadInPath = z.object({
  upload_id: z.string().openapi({ param: { name: 'upload_id', in: 'path' }, example: SESSION_EXAMPLE }),
})

const uploadRequest = z
  .object({
    size: z
      .int({ error: missingOr('must be a whole number of bytes, at least 1') })
      .min(1, 'must be at least 1')
      .openapi({ description: 'Bytes of the file, exactly.', example: 104_857_600 }),
    content_type: z
      .string({ error: missingOr('must be text') })
      .trim()
      .refine(isMediaType, 'must be a media type, such as video/mp4')
      .openapi({
        description: 'Sent with the file. What the file is, is seen from its content.',
        example: 'video/mp4',
      }),
  })
  .openapi('UploadRequest')

const uploadResult = z
  .object({
    upload_id: z.string().openapi({ description: 'For POST /prepare. A secret.', example: SESSION_EXAMPLE }),
    url: z.string().openapi({
      description: 'Absolute. One PUT of the file goes here, with the headers below and without a token.',
      example: `http://127.0.0.1:8000/uploads/${SESSION_EXAMPLE}`,
    }),
    headers: z.record(z.string(), z.string()).openapi({
      description: 'Headers of the PUT, just so.',
      example: { 'Content-Type': 'application/octet-stream' },
    }),
    expires_at: z.int().openapi({ description: 'Unix time in seconds; after it, neither PUT nor prepare.' }),
  })
  .openapi('UploadResult')

export const allowUploadContract = secured({
  method: 'post',
  path: '/uploads',
  operationId: 'allowUpload',
  tags: ['Uploads'],
  summary: 'Allow a large file to be sent apart from POST /prepare',
  description: `Then PUT the file to \`url\` with \`headers\`, and POST /prepare with \`upload_id\`: once, within the hour. ${ALSO_AS_A_FORM}`,
  request: { body: { required: true, content: { 'application/json': { schema: uploadRequest } } } },
  responses: {
    201: { description: 'It is allowed.', content: { 'application/json': { schema: uploadResult } } },
    ...failures(400, 401, 413, 415, 422, 429, 503),
  },
})

export const receiveUploadContract = secured({
  method: 'put',
  path: '/uploads/{upload_id}',
  operationId: 'sendUpload',
  tags: ['Uploads'],
  summary: 'Take the file of an upload, where the store does not take it by itself',
  description:
    'The address is a secret and needs no token. Ask POST /uploads for it: it may lead elsewhere. Too few bytes are 400, too many 413, a Content-Type that is neither the announced one nor application/octet-stream 415, a second file 409.',
  request: {
    params: uploadInPath,
    body: { required: true, content: binary(BYTES_TYPE) },
  },
  responses: {
    200: { description: 'The file is there; no body.' },
    ...failures(400, 401, 404, 409, 413, 415, 503, 504),
  },
})

export function allowUploadRoute(
  allow: (file: Pick<Upload, 'size' | 'contentType'>, client: Client) => Promise<AllowedUpload>,
): MediaRoute {
  return plainRoute(
    allowUploadContract,
    async (context) => {
      const { size, content_type } = await readSmallBody(uploadRequest, context.req.raw)
      const { upload, put } = await allow({ size, contentType: content_type }, context.var.client)
      const body = {
        upload_id: upload.id,
        url: put?.url ?? `${context.var.publicUrl}/uploads/${upload.id}`,
        headers: put?.headers ?? { 'Content-Type': BYTES_TYPE },
        expires_at: upload.expiresAt,
      }
      return context.json(body, 201, { 'Cache-Control': 'no-store' })
    },
    smallBody,
  )
}

/** The body may be of any length, so no validator reads it: the use case takes it from the request itself. */
export function receiveUploadRoute(
  receive: (id: string, request: Request, signal: AbortSignal) => Promise<void>,
): MediaRoute {
  return plainRoute(receiveUploadContract, async (context) => {
    const { raw } = context.req
    await receive(context.req.param('upload_id') ?? '', raw, clientSignal(raw))
    return context.body(null, 200, { 'Cache-Control': 'no-store' })
  })
}

const shownCallback = z
  .object({
    state: z.enum(['pending', 'delivered', 'given_up']),
    tries: z.int().openapi({ description: 'Requests that were sent so far, at most.' }),
    next_at: z.int().optional().openapi({ description: 'Of the next one: Unix time in seconds.' }),
  })
  .openapi('UploadCallback', { description: 'How the callback that tells of the outcome has gone so far.' })

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
    error: prepareFailure.optional(),
    callback: shownCallback.optional(),
  })
  .openapi('UploadProgress')

const cancelled = z.object({ message: z.string() }).openapi('CancelResult')
export const followUploadContract = secured({
  method: 'get',
  path: '/uploads/{upload_id}',
  operationId: 'followUpload',
  tags: ['Uploads'],
  summary: 'How far an upload is: while it arrives, waits, is prepared, and how that ended',
  description:
    'The address is a secret and needs no token. Ask once a second at most. How an upload ended is told for an hour; with a callback, for a day after its last try.',
  request: { params: uploadInPath },
  responses: {
    200: { description: 'The upload.', content: { 'application/json': { schema: uploadProgress } } },
    ...failures(401, 404, 503),
  },
})

export const cancelUploadContract = secured({
  method: 'delete',
  path: '/uploads/{upload_id}',
  operationId: 'cancelUpload',
  tags: ['Uploads'],
  summary: 'Cancel an upload, also while it is received or prepared',
  description:
    'The request that receives or prepares it, on whatever machine, ends within about a second with 409. A finished upload is 409.',
  request: { params: uploadInPath },
  responses: {
    200: { description: 'It is cancelled.', content: { 'application/json': { schema: cancelled } } },
    ...failures(401, 404, 409, 503),
  },
})

/** @param told how the callback of an upload has gone; it outlives the upload, and knows how that ended */
export function followUploadRoute(
  follow: (id: string) => Promise<UploadProgress>,
  told: (id: string) => Promise<Told | undefined>,
): MediaRoute {
  return validatedRoute(followUploadContract, async (context) => {
    const { upload_id } = context.req.valid('param')
    const body = await follow(upload_id).then(
      async (progress) => {
        const callback = progress.status && ENDED.has(progress.state) ? await told(upload_id) : undefined
        return {
          upload_id,
          ...describeUpload(progress),
          ...(callback && { callback: describeTold(callback) }),
        }
      },
      async (error: unknown) => toldBody(await told(upload_id)) ?? Promise.reject(error),
    )
    return context.json(body, 200, { 'Cache-Control': 'no-store' })
  })
}

const ENDED: ReadonlySet<UploadProgress['state']> = new Set(['done', 'failed', 'cancelled'])

/** How an upload ended of which nothing else is left. */
function toldBody(told: Told | undefined): z.infer<typeof uploadProgress> | undefined {
  const body = told && uploadProgress.safeParse(parseJson(told.message.body)).data
  return body && { ...body, expires_at: undefined, callback: describeTold(told) }
}

function describeTold({ state, tries, nextAt }: Told): z.infer<typeof shownCallback> {
  return { state, tries, ...(nextAt !== undefined && { next_at: nextAt }) }
}

export function cancelUploadRoute(cancel: (id: string) => Promise<void>, log: Pick<Log, 'info'>): MediaRoute {
  return validatedRoute(cancelUploadContract, async (context) => {
    const { upload_id } = context.req.valid('param')
    await cancel(upload_id)
    auditRemoval(log, context, { upload_id })
    return context.json({ message: 'The upload is cancelled.' }, 200, { 'Cache-Control': 'no-store' })
  })
}
