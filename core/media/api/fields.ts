import { z } from '@hono/zod-openapi'
import { ServiceError } from '#core/errors'
import { invalid } from '#core/http/validation'
import { METADATA_CHOICES, type MetadataChoice, type OriginWish } from '../capture/chooseOrigin'
import { type Moment, parseMoment } from '../capture/moment'
import { timeZoneOf } from '../capture/timeZone'
import { MAX_REPEAT } from '../convert/clip'
import { OUTPUT_PROFILES, type OutputProfile } from '../convert/outputProfile'
import { checkPictureHead } from '../cover/ownCover'
import { type Donor, readDonor } from '../photos/readDonor'
import {
  CROP_FORMS,
  type Crop,
  type PictureEdit,
  parseCrop,
  parseRotation,
  ROTATIONS,
  type Rotation,
} from '../pictureEdit'
import type { SentPictures } from '../prepare/sentPictures'
import { MAX_PICTURE_BYTES } from '../traits'

/** Fields that several requests and answers have in common. */

export const SESSION_EXAMPLE = '0f8fad5bd9cb469fa16570867728950e'

export const NOT_A_NUMBER = 'must be a finite number, such as 1.5'

/** The session that an address names. */
export const sessionInPath = z
  .string()
  .openapi({ param: { name: 'session_id', in: 'path' }, example: SESSION_EXAMPLE })

/** The message of a field: one text when it is missing, another when it has a wrong type. */
export const missingOr = (otherwise: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? 'is missing' : otherwise

export const sessionId = z
  .string({ error: missingOr('must be text') })
  .min(1, 'is missing')
  .openapi({ description: 'The session that POST /prepare created.', example: SESSION_EXAMPLE })

/** A number in a form field. */
export const formNumber = (description: string, example: string) =>
  z
    .string({ error: missingOr(NOT_A_NUMBER) })
    .trim()
    .min(1, 'is missing')
    .regex(/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i, NOT_A_NUMBER)
    .transform(Number)
    .refine(Number.isFinite, NOT_A_NUMBER)
    .openapi({ type: 'number', description, example })

const badMoment = 'must be a date and a time in ISO 8601, with or without an offset from UTC'
const badCrop = `must be ${CROP_FORMS}`
const COVERS = ['time', 'source'] as const
const badZone = 'must be an offset from UTC, or the name of a time zone in the IANA database'

/** What a photo says of the recording. */
export const originFields = {
  metadata: z
    .enum(METADATA_CHOICES, { error: `must be one of ${METADATA_CHOICES.join(', ')}` })
    .default('date')
    .openapi({
      description:
        'What the photo says of the recording: nothing, its date, or also place, maker and model. The date is in EXIF, in the clip and in the file name.',
    }),
  captured_at: z
    .string({ error: badMoment })
    .transform((text, context): Moment => {
      const moment = parseMoment(text)
      if (!moment) context.addIssue(badMoment)
      return moment ?? { unixMs: 0, offsetMinutes: undefined }
    })
    .optional()
    .openapi({
      type: 'string',
      description:
        'ISO 8601, instead of the time that the video says; without an offset, that of `time_zone`.',
      example: '2026-03-04T05:06:07+02:00',
    }),
  time_zone: z
    .string({ error: badZone })
    .refine((name) => timeZoneOf(name) !== undefined, badZone)
    .optional()
    .openapi({
      description:
        'The zone whose clocks the photo shows: an offset, or a name of the IANA database. Default: what the video says, else UTC.',
      example: 'Europe/Berlin',
    }),
}

/** What a motion photo is like, apart from its times. */
export const photoFields = {
  profile: z
    .enum(OUTPUT_PROFILES, { error: `must be one of ${OUTPUT_PROFILES.join(', ')}` })
    .default('universal')
    .openapi({
      description:
        'Whose galleries the file is written for. `apple` is a ZIP with the photo and the video of a Live Photo, `all` one with a file for each family of galleries and a note.',
    }),
  mute: z
    .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
    .default('false')
    .transform((word) => word === 'true' || word === '1')
    .openapi({ type: 'string', description: 'Leaves the sound out.' }),
  quality: z.enum(['preview', 'source'], { error: 'must be preview or source' }).default('preview').openapi({
    description:
      "`source` copies the original's own pictures (AVC or HEVC in MP4 or MOV) at full size. Where that cannot be, the clip has the preview's; X-Clip-Quality says which.",
  }),
  cover: z
    .enum(COVERS, { error: `must be one of ${COVERS.join(', ')}` })
    .default('time')
    .openapi({
      description:
        "The cover: the video's picture at cover_time, or `source`, the own picture of the motion photo or Live Photo that the video came in, at full size. cover_time may then be left out: the moment that it shows.",
    }),
  cover_file: z
    .string()
    .optional()
    .openapi({
      format: 'binary',
      description: `Only in multipart/form-data: a JPEG, PNG or WebP that is the cover, at most ${MAX_PICTURE_BYTES / 1024 ** 2} MiB. cover_time is the moment of the video that it stands for.`,
    }),
  donor: z
    .string()
    .optional()
    .openapi({
      format: 'binary',
      description: `Only in multipart/form-data: a motion photo of your phone (JPEG, HEIC, or a ZIP with a Live Photo, at most ${MAX_PICTURE_BYTES / 1024 ** 2} MiB). Maker, model and the marks of its family come from it, and the profile, if none is given.`,
    }),
  crop: z
    .string({ error: badCrop })
    .transform((text, context): Crop | undefined => {
      const crop = parseCrop(text.trim())
      if (!crop) context.addIssue(badCrop)
      return crop
    })
    .optional()
    .openapi({
      type: 'string',
      description:
        'The part of cover and clip that stays: the largest of a ratio from the middle, or WIDTHxHEIGHT in pixels of the original as shown, from the middle or at +X+Y. The clip is encoded anew.',
      example: '1:1',
    }),
  rotate: z
    .enum(ROTATIONS.map(String), { error: `must be one of ${ROTATIONS.join(', ')}` })
    .default('0')
    .transform((text) => parseRotation(text) ?? 0)
    .openapi({
      type: 'string',
      description: 'Degrees clockwise by which cover and clip are turned, after a crop.',
    }),
  repeat: formNumber(
    `How often the range is played, 1 to ${MAX_REPEAT}: for short GIFs. Only without sound.`,
    '3',
  ).optional(),
  hdr: z
    .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
    .default('false')
    .transform((word) => word === 'true' || word === '1')
    .openapi({
      type: 'string',
      description:
        'Adds a gain map to the cover (Ultra HDR), if the video is PQ or HLG. X-Ultra-HDR says whether there is one, or why not.',
    }),
  ...originFields,
}

/** What is asked of the cover beside its time. */
type CoverForm = {
  readonly cover: (typeof COVERS)[number]
  readonly cover_time?: number | undefined
}

/** @throws ServiceError `unprocessable` when the cover is given twice, or not at all */
export function coverOf(
  { cover, cover_time: coverTime }: CoverForm,
  { coverFile }: SentPictures,
): {
  readonly cover: CoverForm['cover']
  readonly coverTime: number | undefined
  readonly coverFile: SentPictures['coverFile']
} {
  if (cover === 'source' && coverFile) {
    throw new ServiceError(
      'unprocessable',
      'cover=source and cover_file exclude each other: leave one of them out.',
    )
  }
  if (coverFile) checkPictureHead({ bytes: coverFile, name: 'cover_file' })
  return { cover, coverTime, coverFile }
}

/** What a donor decides: the phone, and the profile where none was asked for. @throws ServiceError as `readDonor` */
export function donorOf(
  { donor: bytes }: SentPictures,
  fields: ReadonlyMap<string, string>,
): { readonly donor: Donor | undefined; readonly profile: OutputProfile | undefined } {
  const donor = bytes && readDonor(bytes)
  return { donor, profile: fields.get('profile') ? undefined : donor?.profile }
}

/** Whether the moment of the cover may be left out: the source's own picture says it. */
export function mayLackCoverTime(fields: ReadonlyMap<string, string>): boolean {
  return fields.get('cover')?.trim() === 'source'
}

export function editOf({ crop, rotate }: { crop?: Crop | undefined; rotate: Rotation }): PictureEdit {
  return { crop, rotate }
}

/** @throws ServiceError `unprocessable` when a date is given that must not be written */
export function originOf(
  form: {
    readonly metadata: MetadataChoice
    readonly captured_at?: Moment | undefined
    readonly time_zone?: string | undefined
  },
  donor?: Donor,
): OriginWish {
  if (form.metadata === 'none' && form.captured_at) {
    throw new ServiceError(
      'unprocessable',
      'captured_at is not written with metadata=none: leave one of them out.',
    )
  }
  const phone = donor && { maker: donor.maker, model: donor.model, marks: donor.marks }
  return { metadata: form.metadata, capturedAt: form.captured_at, timeZone: form.time_zone, phone }
}

/** Where the video of a request is. */
export const sourceFields = {
  file: z.string().optional().openapi({
    format: 'binary',
    description: 'A video, an animated image, a motion photo, or a ZIP with a Live Photo.',
  }),
  upload_id: z
    .string()
    .optional()
    .openapi({ description: 'Instead of a file: the upload that POST /uploads allowed, after its PUT.' }),
}

/**
 * The body of a request that sends a file in a form, or names an upload.
 * @param form the fields of a multipart form
 * @param named the fields of the bodies that hold no file
 */
export function fileOrUpload(form: z.ZodObject, named: z.ZodObject) {
  return {
    body: {
      required: true,
      content: {
        'multipart/form-data': { schema: form },
        'application/x-www-form-urlencoded': { schema: named },
        'application/json': { schema: named },
      },
    },
  }
}

/**
 * Reads the fields of a form that no validator has read.
 * @param options.skipsEmpty whether empty fields count as left out, as a page's form sends them. Default true
 * @throws ServiceError `unprocessable` naming the fields
 */
export function readFields<Form extends z.ZodType>(
  form: Form,
  fields: ReadonlyMap<string, string>,
  { skipsEmpty = true }: { readonly skipsEmpty?: boolean } = {},
): z.infer<Form> {
  const read = form.safeParse(skipsEmpty ? filledIn(fields) : Object.fromEntries(fields))
  if (!read.success) throw invalid(read.error)
  return read.data
}

/** The fields of a form as an object. A page's form sends empty what was not filled in: such fields are left out. */
function filledIn(fields: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...fields].filter(([, value]) => value.trim() !== ''))
}
