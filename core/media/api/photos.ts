import { z } from '@hono/zod-openapi'
import type { Caller } from '@lantern-room/clients'
import { MOTION_PHOTO_PROFILES, PHONE_PROFILES } from '@lantern-room/formats/make'
import { EXTRACTS } from '../photo/apart/animate'
import type { InspectionSummary } from '../photo/apart/describeInspection'
import type { PhotoFile } from '../photo/apart/photoAnswers'
import type { FileRequest } from '../preview/receiveSource'
import { ALSO_WITHOUT_A_FILE, fileOrUpload, formFile, TEXTS_ARE_TEXT, textsOf } from './fields'
import { inspection } from './inspection'
import { callerOf, fileRoute, type MediaRoute } from './mediaRoute'
import { binary, ELSEWHERE, failures, fileResponse, secured } from './responses'

/** POST /inspect, /extract and /repair: a motion photo of any phone goes in. */

const uploadId = z.string().optional().openapi({
  description: 'Instead of a file: an upload that POST /uploads allowed, after its PUT. It is not used up.',
})

const what = z.enum(EXTRACTS).default('clip').openapi({
  description:
    '`still`: the picture, without any mark of a motion photo and with its gain map; `clip`: the video as it is; or an animation of it without sound.',
})

const profile = z
  .enum([...MOTION_PHOTO_PROFILES, ...PHONE_PROFILES.keys()])
  .optional()
  .openapi({
    description:
      'For whose galleries a motion photo is mended, by default `universal`; the name of a maker stands for that of its phones. Not for a Live Photo, which stays one.',
  })

const inspectedFile = formFile(
  'A motion photo (JPEG or HEIC), or a Live Photo: a ZIP (also called `.livp`) with its photo and its MOV, which may be compressed up to 64 MiB. A bundle (`.pvt`) is a folder: send it as such a ZIP.',
)

const inspectForm = z
  .object({ file: inspectedFile, upload_id: uploadId })
  .openapi('InspectForm', { description: TEXTS_ARE_TEXT })

const extractForm = z
  .object({ file: inspectedFile, upload_id: uploadId, what })
  .openapi('ExtractForm', { description: TEXTS_ARE_TEXT })
const repairForm = z
  .object({ file: inspectedFile, upload_id: uploadId, profile })
  .openapi('RepairForm', { description: TEXTS_ARE_TEXT })

const FAILURES = failures(400, 401, 404, 409, 413, 415, 422, 500, 503, 504)

export const inspectContract = secured({
  method: 'post',
  path: '/inspect',
  operationId: 'inspectPhoto',
  tags: ['Photos'],
  summary: 'Say of a motion photo which galleries recognise it, and why others do not',
  description: ALSO_WITHOUT_A_FILE,
  request: fileOrUpload(inspectForm),
  responses: {
    200: { description: 'The verdicts.', content: { 'application/json': { schema: inspection } } },
    ...FAILURES,
  },
})

export const extractContract = secured({
  method: 'post',
  path: '/extract',
  operationId: 'extractPhoto',
  tags: ['Photos'],
  summary: 'Take the picture, the video or an animation out of a motion photo',
  description: ALSO_WITHOUT_A_FILE,
  request: fileOrUpload(extractForm),
  responses: {
    200: {
      description: 'What was asked for.',
      content: binary(
        ...['video/mp4', 'video/quicktime', 'image/jpeg', 'image/heic', 'image/gif', 'image/webp'],
      ),
    },
    303: ELSEWHERE,
    ...FAILURES,
    ...failures(429),
  },
})

export const repairContract = secured({
  method: 'post',
  path: '/repair',
  operationId: 'repairPhoto',
  tags: ['Photos'],
  summary: 'Mend a motion photo or Live Photo, without touching a pixel or a frame',
  description:
    'Of a motion photo lengths, offsets and marks; of a Live Photo the identifier of photo and video, the track that marks the still, and the names. What cannot be mended is 422 with the reason. ' +
    ALSO_WITHOUT_A_FILE,
  request: fileOrUpload(repairForm),
  responses: {
    200: {
      description: 'The mended photo; of a Live Photo a ZIP.',
      content: binary('image/jpeg', 'image/heic', 'application/zip'),
    },
    303: ELSEWHERE,
    ...FAILURES,
  },
})

type PhotoContract = typeof inspectContract | typeof extractContract | typeof repairContract
type PhotoWork<Answer> = (request: FileRequest, caller: Caller) => Promise<Answer>

export function inspectRoute(inspect: PhotoWork<InspectionSummary>): MediaRoute {
  return photoRoute(inspectContract, inspectForm, async (request, caller) =>
    Response.json(await inspect(request, caller), {
      headers: { 'Cache-Control': 'no-store' },
    }),
  )
}

export function extractRoute(extract: PhotoWork<PhotoFile>): MediaRoute {
  return photoFileRoute(extractContract, extractForm, extract)
}

export function repairRoute(repair: PhotoWork<PhotoFile>): MediaRoute {
  return photoFileRoute(repairContract, repairForm, repair)
}

function photoFileRoute(contract: PhotoContract, form: z.ZodObject, work: PhotoWork<PhotoFile>): MediaRoute {
  return photoRoute(contract, form, async (request, caller) => {
    const { body, mediaType, name, size } = await work(request, caller)
    return fileResponse(body, mediaType, size, { 'Content-Disposition': `attachment; filename="${name}"` })
  })
}

function photoRoute(contract: PhotoContract, form: z.ZodObject, answer: PhotoWork<Response>): MediaRoute {
  const texts = textsOf(form)
  return fileRoute(contract, (context) => answer({ request: context.req.raw, texts }, callerOf(context)))
}
