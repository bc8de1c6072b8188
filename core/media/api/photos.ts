import { createRoute, z } from '@hono/zod-openapi'
import type { Caller } from '../client'
import { GALLERIES } from '../motionPhoto/galleryNames'
import { PROBLEM_CODES } from '../motionPhoto/inspect'
import { MOTION_PHOTO_PROFILES } from '../motionPhoto/profile'
import type { InspectionSummary } from '../photos/describeInspection'
import { EXTRACTS } from '../photos/extracts'
import type { PhotoFile } from '../photos/photoAnswers'
import { fileOrUpload } from './fields'
import { callerOf, type MediaRoute, registerFileRoute } from './mediaRoute'
import { binary, failures, SECURITY } from './responses'

/** POST /inspect, /extract and /repair: a motion photo of any phone goes in. */

const photoFile = z
  .string()
  .optional()
  .openapi({ format: 'binary', description: 'A motion photo: JPEG or HEIC.' })
const uploadId = z.string().optional().openapi({
  description: 'Instead of a file: an upload that POST /uploads allowed, after its PUT. It is not used up.',
})
const what = z
  .enum(EXTRACTS)
  .default('clip')
  .openapi({ description: 'The picture, the video as it is, or an animation of it without sound.' })
const profile = z
  .enum(MOTION_PHOTO_PROFILES)
  .default('universal')
  .openapi({ description: 'For whose galleries it is mended.' })

const inspectedFile = z.string().optional().openapi({
  format: 'binary',
  description:
    'A motion photo (JPEG or HEIC), or a ZIP with the photo and the MOV of a Live Photo, not compressed.',
})

const donorFile = z.string().optional().openapi({
  format: 'binary',
  description: 'A motion photo of your phone, at most 32 MiB: the answer says how the photo differs from it.',
})

const inspectForm = z
  .object({ file: inspectedFile, upload_id: uploadId, donor: donorFile })
  .openapi('InspectForm')
const extractForm = z.object({ file: inspectedFile, upload_id: uploadId, what }).openapi('ExtractForm')
const repairForm = z.object({ file: photoFile, upload_id: uploadId, profile }).openapi('RepairForm')

const problem = z.object({
  code: z.enum(PROBLEM_CODES).openapi({ example: 'xiaomi-place' }),
  detail: z.string().openapi({ description: 'What is wrong, for a person.' }),
  repair: z.string().nullable().openapi({ description: 'What POST /repair does about it; null = nothing.' }),
})

const verdict = z
  .object({
    gallery: z.enum(GALLERIES).openapi({
      description: 'google: Pixel and Google Photos; oppo: OPPO, OnePlus, realme; huawei: Huawei and Honor.',
    }),
    recognised: z
      .enum(['yes', 'unsure', 'no'])
      .openapi({ description: 'unsure where reports disagree about what is missing.' }),
    plays: z.boolean(),
    timestamp: z
      .enum(['right', 'missing', 'wrong'])
      .openapi({ description: 'Whether the moment of the picture is given, and lies in the video.' }),
    problems: z.array(problem),
  })
  .openapi('GalleryVerdict')

const clip = z.object({
  offset: z.int().openapi({ description: 'First byte in the file.' }),
  bytes: z.int(),
  duration: z.number().nullable().openapi({ description: 'Seconds. Null where the index cannot be read.' }),
  codec: z.string().nullable().openapi({ example: 'avc1' }),
  width: z.int().nullable(),
  height: z.int().nullable(),
  frames: z.int().nullable(),
  has_audio: z.boolean().nullable(),
})

const inspection = z
  .object({
    format: z.enum(['jpeg', 'heic', 'live-photo']),
    bytes: z.int(),
    width: z.int().nullable().openapi({ description: 'Pixels of the picture.' }),
    height: z.int().nullable(),
    taken_at: z.string().nullable().openapi({ description: 'As in EXIF.', example: '2026:03:04 05:06:07' }),
    time_zone: z.string().nullable().openapi({ example: '+02:00' }),
    clip: clip.nullable().openapi({ description: 'Null when the video is gone.' }),
    presentation_timestamp_us: z
      .int()
      .nullable()
      .openapi({ description: 'The moment of the video that the picture shows.' }),
    content_identifier: z.string().nullable().openapi({
      description: "What the photo and the video of an iPhone's Live Photo have in common.",
    }),
    marks: z.object({
      motion_photo: z.boolean(),
      micro_video: z.boolean(),
      samsung: z.boolean(),
      xiaomi: z.enum(['ExifIFD', 'IFD0']).nullable().openapi({ description: 'Where its EXIF tag is.' }),
      oppo: z.boolean(),
      vivo: z.boolean(),
      huawei: z.boolean(),
      mpf: z.boolean(),
    }),
    galleries: z.array(verdict),
    donor: z
      .object({
        maker: z.string().nullable(),
        model: z.string().nullable(),
        family: z.enum(GALLERIES).openapi({ description: 'Whose marks the donor has.' }),
        profile: z
          .enum([...MOTION_PHOTO_PROFILES, 'apple'])
          .openapi({ description: 'The profile that has them, too.' }),
        differences: z
          .array(z.object({ what: z.string(), photo: z.string().nullable(), donor: z.string().nullable() }))
          .openapi({ description: 'What the photo has otherwise than the donor; null = absent.' }),
      })
      .optional()
      .openapi({ description: 'Only when a donor was sent.' }),
  })
  .openapi('Inspection')

const bodyOf = (form: z.ZodObject) =>
  fileOrUpload(form, form.omit({ file: true, ...('donor' in form.shape && { donor: true }) }))

const FAILURES = failures(400, 401, 404, 409, 413, 415, 422, 500, 503, 504)

export const inspectContract = createRoute({
  method: 'post',
  path: '/inspect',
  operationId: 'inspectPhoto',
  tags: ['Photos'],
  summary: 'Say of a motion photo which galleries recognise it, and why others do not',
  security: SECURITY,
  request: bodyOf(inspectForm),
  responses: {
    200: { description: 'The verdicts.', content: { 'application/json': { schema: inspection } } },
    ...FAILURES,
  },
})

export const extractContract = createRoute({
  method: 'post',
  path: '/extract',
  operationId: 'extractPhoto',
  tags: ['Photos'],
  summary: 'Take the picture, the video or an animation out of a motion photo',
  security: SECURITY,
  request: bodyOf(extractForm),
  responses: {
    200: {
      description: 'What was asked for.',
      content: {
        ...binary('video/mp4'),
        ...binary('video/quicktime'),
        ...binary('image/jpeg'),
        ...binary('image/heic'),
        ...binary('image/gif'),
        ...binary('image/webp'),
      },
    },
    ...FAILURES,
    ...failures(429),
  },
})

export const repairContract = createRoute({
  method: 'post',
  path: '/repair',
  operationId: 'repairPhoto',
  tags: ['Photos'],
  summary: 'Mend lengths, offsets and marks of a motion photo, without touching a pixel or a frame',
  security: SECURITY,
  request: bodyOf(repairForm),
  responses: {
    200: { description: 'The mended photo.', content: binary('image/jpeg') },
    ...FAILURES,
  },
})

type PhotoContract = typeof inspectContract | typeof extractContract | typeof repairContract
type PhotoWork<Answer> = (request: Request, caller: Caller) => Promise<Answer>

export function inspectRoute(inspect: PhotoWork<InspectionSummary>): MediaRoute {
  return photoRoute(inspectContract, async (request, caller) =>
    Response.json(await inspect(request, caller), {
      headers: { 'Cache-Control': 'no-store' },
    }),
  )
}

export function extractRoute(extract: PhotoWork<PhotoFile>): MediaRoute {
  return photoRoute(extractContract, async (request, caller) => fileResponse(await extract(request, caller)))
}

export function repairRoute(repair: PhotoWork<PhotoFile>): MediaRoute {
  return photoRoute(repairContract, async (request, caller) => fileResponse(await repair(request, caller)))
}

function photoRoute(contract: PhotoContract, answer: PhotoWork<Response>): MediaRoute {
  return {
    contract,
    register: (app) =>
      registerFileRoute(app, contract, (context) => answer(context.req.raw, callerOf(context))),
  }
}

function fileResponse({ body, mediaType, name, size }: PhotoFile): Response {
  return new Response(body, {
    headers: {
      'Content-Type': mediaType,
      'Content-Length': String(size),
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}
