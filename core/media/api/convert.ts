import { createRoute, z } from '@hono/zod-openapi'
import type { Caller } from '../client'
import { MAX_SPEED, MIN_SPEED } from '../convert/clip'
import type { ConvertRequest, MotionPhoto } from '../convert/convertSession'
import { formNumber, originOf, photoFields, sessionId } from './fields'
import { callerOf, type MediaRoute, noteSession, smallBody } from './mediaRoute'
import { failures, PHOTO, photoResponse, SECURITY } from './responses'

const convertForm = z
  .object({
    session_id: sessionId,
    range_start: formNumber('Begin of the range, in seconds of the preview.', '1'),
    range_end: formNumber('End of the range, in seconds of the preview.', '4'),
    cover_time: formNumber('The cover, in seconds of the preview; clamped into the range.', '2'),
    speed: formNumber(`Multiplier of playback speed, ${MIN_SPEED} to ${MAX_SPEED}.`, '1'),
    ...photoFields,
  })
  .openapi('ConvertForm')

export const convertContract = createRoute({
  method: 'post',
  path: '/convert',
  operationId: 'convertSession',
  tags: ['Photos'],
  summary: 'Make a motion photo of a range, a cover time and a speed',
  security: SECURITY,
  request: {
    body: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': { schema: convertForm },
        'multipart/form-data': { schema: convertForm },
      },
    },
  },
  responses: {
    200: PHOTO,
    ...failures(400, 401, 404, 413, 415, 422, 429, 500, 503, 504),
  },
})

export type ConvertSession = (request: ConvertRequest, caller: Caller) => Promise<MotionPhoto>

export function convertRoute(convertSession: ConvertSession): MediaRoute {
  return {
    contract: convertContract,
    register: (app) => {
      app.use(convertContract.path, smallBody)
      app.openapi(convertContract, async (context) => {
        const form = context.req.valid('form')
        noteSession(context, form.session_id)
        const request = {
          sessionId: form.session_id,
          rangeStart: form.range_start,
          rangeEnd: form.range_end,
          coverTime: form.cover_time,
          speed: form.speed,
          profile: form.profile,
          mute: form.mute,
          quality: form.quality,
          origin: originOf(form),
        }
        return photoResponse(await convertSession(request, callerOf(context)))
      })
    },
  }
}
