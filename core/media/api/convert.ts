import { createRoute, z } from '@hono/zod-openapi'
import type { Caller } from '../client'
import { MAX_SPEED, MIN_SPEED } from '../convert/clip'
import type { ConvertRequest, MotionPhoto } from '../convert/convertSession'
import { MOTION_PHOTO_PROFILES } from '../motionPhoto/profile'
import { missingOr, NOT_A_NUMBER, sessionId } from './fields'
import { callerOf, type MediaRoute, noteSession, smallBody } from './mediaRoute'
import { binary, failures, jpegResponse, SECURITY } from './responses'

/** A number in a form field. */
const formNumber = (description: string, example: string) =>
  z
    .string({ error: missingOr(NOT_A_NUMBER) })
    .trim()
    .min(1, 'is missing')
    .regex(/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i, NOT_A_NUMBER)
    .transform(Number)
    .refine(Number.isFinite, NOT_A_NUMBER)
    .openapi({ type: 'number', description, example })

const convertForm = z
  .object({
    session_id: sessionId,
    range_start: formNumber('Begin of the range, in seconds of the preview.', '1'),
    range_end: formNumber('End of the range, in seconds of the preview.', '4'),
    cover_time: formNumber('The cover, in seconds of the preview; clamped into the range.', '2'),
    speed: formNumber(`Multiplier of playback speed, ${MIN_SPEED} to ${MAX_SPEED}.`, '1'),
    profile: z
      .enum(MOTION_PHOTO_PROFILES, { error: `must be one of ${MOTION_PHOTO_PROFILES.join(', ')}` })
      .default('universal')
      .openapi({ description: 'Whose galleries the file is written for.' }),
    mute: z
      .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
      .default('false')
      .transform((word) => word === 'true' || word === '1')
      .openapi({ type: 'string', description: 'Leaves the sound out.' }),
  })
  .openapi('ConvertForm')

export const convertContract = createRoute({
  method: 'post',
  path: '/convert',
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
    200: { description: 'The motion photo.', content: binary('image/jpeg') },
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
        }
        const { photo, takenAt } = await convertSession(request, callerOf(context))
        return jpegResponse(photo, {
          'Content-Disposition': `attachment; filename="${photoName(takenAt)}"`,
        })
      })
    },
  }
}

/** `IMG_YYYYMMDD_HHMMSS_MP.jpg`: galleries recognise a motion photo by the end of its name, too. */
function photoName(takenAt: Date): string {
  const [date = '', time = ''] = takenAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').split('T')
  return `IMG_${date}_${time}_MP.jpg`
}
