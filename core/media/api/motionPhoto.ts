import { createRoute, z } from '@hono/zod-openapi'
import type { Caller } from '../client'
import type { ConvertedPhoto } from '../convert/convertSession'
import type { MotionPhotoRequest } from '../oneShot/createMotionPhoto'
import type { PhotoRequest } from '../oneShot/photoOfFile'
import type { SentPictures } from '../prepare/sentPictures'
import { fileOrUpload, readFields, sourceFields, TEXTS_ARE_TEXT, textsOf } from './fields'
import { callerOf, type MediaRoute, registerFileRoute } from './mediaRoute'
import { coverTimeOf, mayLackCoverTime, photoForm, photoSettings } from './photoFields'
import { failures, PHOTO, photoResponse, SECURITY } from './responses'

const SOURCE = 'the video'

const untimedForm = photoForm(SOURCE)
const timedForm = untimedForm.extend({ cover_time: coverTimeOf(SOURCE) })

const motionPhotoForm = z
  .object({ ...sourceFields, ...untimedForm.shape })
  .openapi('MotionPhotoForm', { description: `Either \`file\` or \`upload_id\`. ${TEXTS_ARE_TEXT}` })

const motionPhotoUpload = untimedForm
  .omit({ cover_file: true, donor: true })
  .extend({ upload_id: z.string() })
  .openapi('MotionPhotoUpload')

export const motionPhotoContract = createRoute({
  method: 'post',
  path: '/motion-photo',
  operationId: 'createMotionPhoto',
  tags: ['Photos'],
  summary: 'Make a motion photo of a file and a range in one request, without a session',
  security: SECURITY,
  description:
    'Only the range is decoded, wherever it lies. An upload is used up as by POST /prepare. A range that does not lie inside the video is 422.',
  request: fileOrUpload(motionPhotoForm, motionPhotoUpload),
  responses: {
    200: PHOTO,
    ...failures(400, 401, 404, 409, 413, 415, 422, 429, 500, 503, 504),
  },
})

export type CreateMotionPhoto = (request: MotionPhotoRequest, caller: Caller) => Promise<ConvertedPhoto>

export function motionPhotoRoute(createMotionPhoto: CreateMotionPhoto): MediaRoute {
  return {
    contract: motionPhotoContract,
    register: (app) => {
      registerFileRoute(app, motionPhotoContract, async (context) => {
        const request = { request: context.req.raw, texts: textsOf(motionPhotoForm), readPhoto }
        return photoResponse(await createMotionPhoto(request, callerOf(context)))
      })
    },
  }
}

/** @throws ServiceError `unprocessable` naming the fields */
function readPhoto(fields: ReadonlyMap<string, string>, pictures: SentPictures): PhotoRequest {
  const form = readFields(mayLackCoverTime(fields) ? untimedForm : timedForm, fields)
  const { rangeStart, rangeEnd, cover, coverTime, ...settings } = photoSettings(form, fields, pictures)
  return { ...settings, start: rangeStart, end: rangeEnd, cover: coverTime, coverFrom: cover }
}
