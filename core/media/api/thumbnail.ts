import { createRoute, z } from '@hono/zod-openapi'
import type { Caller } from '../client'
import type { ThumbnailRequest } from '../thumbnails/sessionThumbnails'
import { missingOr, NOT_A_NUMBER, sessionId } from './fields'
import { callerOf, type MediaRoute, noteSession, smallBody } from './mediaRoute'
import { binary, failures, jpegResponse, SECURITY } from './responses'

const thumbnailRequest = z
  .object({
    session_id: sessionId,
    timestamp: z
      .number({ error: missingOr(NOT_A_NUMBER) })
      .openapi({ description: 'Seconds of the preview.', example: 2 }),
    width: z
      .int({ error: 'must be a whole number of pixels from 16 to 1920' })
      .min(16, 'must be from 16 to 1920')
      .max(1920, 'must be from 16 to 1920')
      .optional()
      .openapi({ description: 'Pixels; never more than the preview has.', example: 320 }),
  })
  .openapi('ThumbnailRequest')

export const thumbnailContract = createRoute({
  method: 'post',
  path: '/thumbnail',
  operationId: 'takeThumbnail',
  tags: ['Sessions'],
  summary: 'A JPEG of the frame at a time',
  security: SECURITY,
  request: { body: { required: true, content: { 'application/json': { schema: thumbnailRequest } } } },
  responses: {
    200: { description: 'The frame.', content: binary('image/jpeg') },
    ...failures(400, 401, 404, 413, 415, 422, 429, 500, 503, 504),
  },
})

export type TakeThumbnail = (request: ThumbnailRequest, caller: Caller) => Promise<Uint8Array>

export function thumbnailRoute(thumbnail: TakeThumbnail): MediaRoute {
  return {
    contract: thumbnailContract,
    register: (app) => {
      app.use(thumbnailContract.path, smallBody)
      app.openapi(thumbnailContract, async (context) => {
        const { session_id, timestamp, width } = context.req.valid('json')
        noteSession(context, session_id)
        const request = { sessionId: session_id, timestamp, width }
        return jpegResponse(await thumbnail(request, callerOf(context)))
      })
    },
  }
}
