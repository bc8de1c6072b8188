import { createRoute, z } from '@hono/zod-openapi'
import type { Caller } from '../client'
import { MAX_SPEED, MIN_SPEED } from '../convert/clip'
import { type ConvertFormRequest, isMultipart } from '../convert/convertForm'
import type { ConvertRequest, MotionPhoto } from '../convert/convertSession'
import type { SentPictures } from '../prepare/sentPictures'
import {
  coverOf,
  donorOf,
  editOf,
  formNumber,
  mayLackCoverTime,
  originOf,
  photoFields,
  readFields,
  sessionId,
} from './fields'
import { callerOf, type MediaRoute, noteSession, smallBody } from './mediaRoute'
import { failures, PHOTO, photoResponse, SECURITY } from './responses'

const coverTime = formNumber(
  'The cover, in seconds of the preview; clamped into the range. Only with cover=source it may be left out.',
  '2',
)

const convertForm = z
  .object({
    session_id: sessionId,
    range_start: formNumber('Begin of the range, in seconds of the preview.', '1'),
    range_end: formNumber('End of the range, in seconds of the preview.', '4'),
    cover_time: coverTime.optional(),
    speed: formNumber(`Multiplier of playback speed, ${MIN_SPEED} to ${MAX_SPEED}.`, '1'),
    ...photoFields,
  })
  .openapi('ConvertForm')

const timedForm = convertForm.extend({ cover_time: coverTime })

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
        'application/x-www-form-urlencoded': { schema: convertForm.omit({ cover_file: true, donor: true }) },
        'multipart/form-data': { schema: convertForm },
      },
    },
  },
  responses: {
    200: PHOTO,
    ...failures(400, 401, 404, 413, 415, 422, 429, 500, 503, 504),
  },
})

export type ConvertForm = (request: ConvertFormRequest, caller: Caller) => Promise<MotionPhoto>

export function convertRoute(convert: ConvertForm): MediaRoute {
  return {
    contract: convertContract,
    register: (app) => {
      app.use(convertContract.path, (context, next) =>
        isMultipart(context.req.raw) ? next() : smallBody(context, next),
      )
      app.openAPIRegistry.registerPath(convertContract)
      app.post(convertContract.path, async (context) => {
        const readConvert: ConvertFormRequest['readConvert'] = (fields, pictures) => {
          const request = requestOf(fields, pictures)
          noteSession(context, request.sessionId)
          return request
        }
        return photoResponse(await convert({ request: context.req.raw, readConvert }, callerOf(context)))
      })
    },
  }
}

/** @throws ServiceError `unprocessable` naming the fields */
function requestOf(fields: ReadonlyMap<string, string>, pictures: SentPictures): ConvertRequest {
  const form = readFields(mayLackCoverTime(fields) ? convertForm : timedForm, fields, {
    skipsEmpty: false,
  })
  const { donor, profile } = donorOf(pictures, fields)
  return {
    sessionId: form.session_id,
    rangeStart: form.range_start,
    rangeEnd: form.range_end,
    ...coverOf(form, pictures),
    speed: form.speed,
    profile: profile ?? form.profile,
    mute: form.mute,
    quality: form.quality,
    hdr: form.hdr,
    origin: originOf(form, donor),
    edit: editOf(form),
    ...(form.repeat !== undefined && { repeat: form.repeat }),
  }
}
