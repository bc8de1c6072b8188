import { createRoute, z } from '@hono/zod-openapi'
import type { Caller } from '../client'
import { MAX_SPEED, MIN_SPEED } from '../convert/clip'
import type { MotionPhoto } from '../convert/convertSession'
import type { MotionPhotoRequest } from '../oneShot/createMotionPhoto'
import type { PhotoRequest } from '../oneShot/photoOfFile'
import type { SentPictures } from '../prepare/sentPictures'
import {
  coverOf,
  donorOf,
  editOf,
  fileOrUpload,
  formNumber,
  mayLackCoverTime,
  originOf,
  photoFields,
  readFields,
  sourceFields,
} from './fields'
import { callerOf, type MediaRoute, registerFileRoute } from './mediaRoute'
import { failures, PHOTO, photoResponse, SECURITY } from './responses'

const coverTime = formNumber(
  'The cover, in seconds of the video; clamped into the range. Only with cover=source it may be left out.',
  '2',
)

const photoForm = z.object({
  range_start: formNumber('Begin of the range, in seconds of the video.', '1'),
  range_end: formNumber('End of the range, in seconds of the video.', '4'),
  cover_time: coverTime.optional(),
  speed: formNumber(`Multiplier of playback speed, ${MIN_SPEED} to ${MAX_SPEED}.`, '1'),
  ...photoFields,
})

const timedForm = photoForm.extend({ cover_time: coverTime })

const motionPhotoForm = z
  .object({ ...sourceFields, ...photoForm.shape })
  .openapi('MotionPhotoForm', { description: 'Either `file` or `upload_id`.' })

const motionPhotoUpload = photoForm
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

export type CreateMotionPhoto = (request: MotionPhotoRequest, caller: Caller) => Promise<MotionPhoto>

export function motionPhotoRoute(createMotionPhoto: CreateMotionPhoto): MediaRoute {
  return {
    contract: motionPhotoContract,
    register: (app) => {
      registerFileRoute(app, motionPhotoContract, async (context) => {
        const request = { request: context.req.raw, readPhoto }
        return photoResponse(await createMotionPhoto(request, callerOf(context)))
      })
    },
  }
}

/** @throws ServiceError `unprocessable` naming the fields */
function readPhoto(fields: ReadonlyMap<string, string>, pictures: SentPictures): PhotoRequest {
  const form = readFields(mayLackCoverTime(fields) ? photoForm : timedForm, fields)
  const { donor, profile } = donorOf(pictures, fields)
  const { cover, coverTime: time, coverFile } = coverOf(form, pictures)
  return {
    start: form.range_start,
    end: form.range_end,
    cover: time,
    coverFrom: cover,
    coverFile,
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
