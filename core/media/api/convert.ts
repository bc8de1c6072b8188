import { createRoute, z } from '@hono/zod-openapi'
import type { Caller } from '../client'
import { type ConvertFormRequest, isMultipart } from '../convert/convertForm'
import type { ConvertedPhoto, ConvertRequest } from '../convert/convertSession'
import type { SentPictures } from '../prepare/sentPictures'
import { readFields, sessionId, TEXTS_ARE_TEXT, textsOf } from './fields'
import { callerOf, type MediaRoute, noteSession, smallBody } from './mediaRoute'
import { coverTimeOf, mayLackCoverTime, photoForm, photoSettings } from './photoFields'
import { failures, PHOTO, photoResponse, SECURITY } from './responses'

const SOURCE = 'the preview'

const convertForm = z
  .object({ session_id: sessionId, ...photoForm(SOURCE).shape })
  .openapi('ConvertForm', { description: TEXTS_ARE_TEXT })

const timedForm = convertForm.extend({ cover_time: coverTimeOf(SOURCE) })

/** 400 and 422: @see docs/decisions.md, D6 */
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

export type ConvertForm = (request: ConvertFormRequest, caller: Caller) => Promise<ConvertedPhoto>

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
        return photoResponse(
          await convert(
            { request: context.req.raw, texts: textsOf(convertForm), readConvert },
            callerOf(context),
          ),
        )
      })
    },
  }
}

/** @throws ServiceError `unprocessable` naming the fields */
function requestOf(fields: ReadonlyMap<string, string>, pictures: SentPictures): ConvertRequest {
  const form = readFields(mayLackCoverTime(fields) ? convertForm : timedForm, fields, {
    skipsEmpty: false,
  })
  return { sessionId: form.session_id, ...photoSettings(form, fields, pictures) }
}
