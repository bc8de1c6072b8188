import { z } from '@hono/zod-openapi'
import type { Caller } from '@lantern-room/clients'
import { MAX_VIDEO_SECONDS } from '../capture/pair'
import { isMultipart } from '../photo/make/convertForm'
import type { ConvertedPhoto, ConvertRequest } from '../photo/make/convertSession'
import { type PhotoRequest, PICTURE_FORMATS } from '../photo/make/photoOfFile'
import type { FormRequest, SentPictures } from '../preview/receiveSource'
import {
  ALSO_WITHOUT_A_FILE,
  fileOrUpload,
  readFields,
  sessionId,
  sourceFields,
  TEXTS_ARE_TEXT,
  textsOf,
} from './fields'
import { callerOf, fileRoute, type MediaRoute, noteSession, plainRoute, smallBody } from './mediaRoute'
import { coverTimeOf, mayLackCoverTime, photoForm, readPhotoForm } from './photoFields'
import { binary, ELSEWHERE, failures, PHOTO, photoResponse, secured } from './responses'

/** POST /convert, which makes a photo of a session, and POST /motion-photo, which makes one of a file in one go. */

const convertForm = z
  .object({ session_id: sessionId, ...photoForm('the preview').shape })
  .openapi('ConvertForm', { description: TEXTS_ARE_TEXT })

const timedConvertForm = convertForm.extend({ cover_time: coverTimeOf('the preview') })

/** 400 and 422: @see docs/decisions.md, D6 */
export const convertContract = secured({
  method: 'post',
  path: '/convert',
  operationId: 'convertSession',
  tags: ['Photos'],
  summary: 'Make a motion photo of a range, a cover time and a speed',
  description:
    'The fields may also be sent as application/json, or as multipart/form-data, which can hold a picture as `cover_file` (a JPEG, PNG, WebP or HEIC) beside them.',
  request: {
    body: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': { schema: convertForm.omit({ cover_file: true }) },
      },
    },
  },
  responses: {
    200: PHOTO,
    303: ELSEWHERE,
    ...failures(400, 401, 404, 413, 415, 422, 429, 500, 503, 504),
  },
})

export function convertRoute(
  convert: (request: FormRequest<ConvertRequest>, caller: Caller) => Promise<ConvertedPhoto>,
): MediaRoute {
  return plainRoute(
    convertContract,
    async (context) => {
      const readForm: typeof readConvert = (fields, pictures) => {
        const request = readConvert(fields, pictures)
        noteSession(context, request.sessionId)
        return request
      }
      const request = { request: context.req.raw, texts: textsOf(convertForm), readForm }
      return photoResponse(await convert(request, callerOf(context)))
    },
    (context, next) => (isMultipart(context.req.raw) ? next() : smallBody(context, next)),
  )
}

/** @throws ServiceError `unprocessable` naming the fields */
function readConvert(fields: ReadonlyMap<string, string>, pictures: SentPictures): ConvertRequest {
  const form = readFields(mayLackCoverTime(fields) ? convertForm : timedConvertForm, fields, {
    skipsEmpty: false,
  })
  return { sessionId: form.session_id, ...readPhotoForm(form, pictures) }
}

const format = z.enum(PICTURE_FORMATS, { error: 'must be jpeg or keep' }).default('jpeg').openapi({
  description:
    'What the picture is. `keep`: with `cover=source`, the HEIC of an iPhone or of a motion photo stays the HEIC that it is, for `profile` universal or google, with `metadata=all`, and neither cropped nor turned; the file is a HEIC then. A photo that is a JPEG stays one, and a picture of the video becomes one.',
})

const videoForm = photoForm('the video').extend({ format })
const timedVideoForm = videoForm.extend({ cover_time: coverTimeOf('the video') })

const motionPhotoForm = z
  .object({ ...sourceFields, ...videoForm.shape })
  .openapi('MotionPhotoForm', { description: `Either \`file\` or \`upload_id\`. ${TEXTS_ARE_TEXT}` })

export const motionPhotoContract = secured({
  method: 'post',
  path: '/motion-photo',
  operationId: 'createMotionPhoto',
  tags: ['Photos'],
  summary: 'Make a motion photo of a file and a range in one request, without a session',
  description:
    'Only the range is decoded, wherever it lies. With a `photo`, range and speed may be left out (the whole video), `cover` is `source` and `metadata` is `all` unless they are given. An upload is used up as by POST /prepare. A range that does not lie inside the video is 422. ' +
    ALSO_WITHOUT_A_FILE,
  request: fileOrUpload(motionPhotoForm),
  responses: {
    200: { ...PHOTO, content: binary('image/jpeg', 'image/heic', 'application/zip') },
    303: ELSEWHERE,
    ...failures(400, 401, 404, 409, 413, 415, 422, 429, 500, 503, 504),
  },
})

export function motionPhotoRoute(
  createMotionPhoto: (request: FormRequest<PhotoRequest>, caller: Caller) => Promise<ConvertedPhoto>,
): MediaRoute {
  return fileRoute(motionPhotoContract, async (context) => {
    const request = { request: context.req.raw, texts: textsOf(motionPhotoForm), readForm: readPhoto }
    return photoResponse(await createMotionPhoto(request, callerOf(context)))
  })
}

/** @throws ServiceError `unprocessable` naming the fields */
function readPhoto(sent: ReadonlyMap<string, string>, pictures: SentPictures): PhotoRequest {
  const isPair = pictures.photo !== undefined
  const fields = isPair ? withPairDefaults(sent) : sent
  const form = readFields(mayLackCoverTime(fields) ? videoForm : timedVideoForm, fields)
  const mayEndEarlier = isPair && !sent.get('range_end')?.trim()
  return { ...readPhotoForm(form, pictures), format: form.format, mayEndEarlier }
}

/** Of a photo and its video: the whole of both. */
const PAIR_DEFAULTS = {
  range_start: '0',
  range_end: String(MAX_VIDEO_SECONDS),
  speed: '1',
  cover: 'source',
  metadata: 'all',
}

function withPairDefaults(fields: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const given = [...fields].filter(([, value]) => value.trim() !== '')
  return new Map([...Object.entries(PAIR_DEFAULTS), ...given])
}
