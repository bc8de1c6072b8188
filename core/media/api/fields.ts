import { z } from '@hono/zod-openapi'
import { ServiceError } from '@lantern-room/base'
import { refuseMisspelt } from '@lantern-room/base/fields'
import { invalid } from '@lantern-room/base/http'
import { type Moment, parseMoment } from '@lantern-room/formats/time'
import { METADATA_CHOICES, type MetadataChoice, type OriginWish } from '../capture/chooseOrigin'
import { timeZoneOf } from '../capture/timeZone'
import { PHOTO_FIELD, PICTURE_FIELDS } from '../preview/receiveSource'

/** Fields that several requests and answers have in common. */

export const SESSION_EXAMPLE = '0f8fad5bd9cb469fa16570867728950e'

export const NOT_A_NUMBER = 'must be a finite number, such as 1.5'

/** How a form writes numbers. */
export const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i

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

export const formNumber = (description: string, example: string) =>
  z
    .string({ error: missingOr(NOT_A_NUMBER) })
    .trim()
    .min(1, 'is missing')
    .regex(NUMBER, NOT_A_NUMBER)
    .transform(Number)
    .refine(Number.isFinite, NOT_A_NUMBER)
    .openapi({ type: 'number', description, example })

/** A text in a form field that stands for a value. @param bad what it must be @param parse returns undefined for other text */
export const formValue = <Value>(bad: string, parse: (text: string) => Value | undefined) =>
  z.string({ error: bad }).transform((text, context) => {
    const value = parse(text)
    if (value === undefined) context.addIssue(bad)
    return value ?? z.NEVER
  })

export const formFile = (description: string) =>
  z.string().optional().openapi({ format: 'binary', description })

export const sourceFields = {
  file: formFile('A video, an animated image, a motion photo, or a ZIP with a Live Photo.'),
  photo: formFile(
    'Only in multipart/form-data: the photo (JPEG or HEIC, at most 32 MiB) that belongs to the video, as iPhones and vivo phones leave the two. Photo and video of different identifiers, without one in common and of times more than 3 s apart, or with a video of more than 30 s are refused (422).',
  ),
  upload_id: z
    .string()
    .optional()
    .openapi({ description: 'Instead of a file: the upload that POST /uploads allowed, after its PUT.' }),
  file_name: z.string().optional().openapi({
    description:
      'The name of the video, after which photos of it are named, and which tells with its header when it was recorded. Default: that of the part `file`.',
    example: 'VID_20240114_153012.mp4',
  }),
}

/**
 * The body of a request that sends a file in a form, or names an upload. The document has one type of body for each operation,
 * because generators of clients choose among several as they like, JSON too, in which no file can be sent.
 */
export function fileOrUpload(form: z.ZodObject) {
  return { body: { required: true, content: { 'multipart/form-data': { schema: form } } } }
}

/** For the description of such a request. */
export const ALSO_WITHOUT_A_FILE =
  'With an upload_id and no file, the fields may also be sent as application/json or application/x-www-form-urlencoded.'

export const TEXTS_ARE_TEXT =
  'A field other than a file must be text: sent with a file name it is refused (400).'

export function textsOf(form: z.ZodObject): readonly string[] {
  return Object.keys(form.shape).filter((name) => !FILES.includes(name))
}

const PICTURES: readonly string[] = [...PICTURE_FIELDS.names, ...PHOTO_FIELD.names]
const FILES: readonly string[] = ['file', ...PICTURES]

/**
 * Reads the fields of a form that no validator has read. Those that say where a video is are known to all.
 * @param options.skipsEmpty whether empty fields count as left out, as a page's form sends them. @default true
 * @throws ServiceError `unprocessable` naming the fields; as `refuseMisspelt`
 */
export function readFields<Form extends z.ZodObject>(
  form: Form,
  fields: ReadonlyMap<string, string>,
  { skipsEmpty = true }: { readonly skipsEmpty?: boolean } = {},
): z.infer<Form> {
  refuseMisspelt(fields, [...Object.keys(form.shape), ...Object.keys(sourceFields)])
  const picture = PICTURES.find((name) => fields.get(name))
  if (picture !== undefined) {
    throw new ServiceError(
      'unprocessable',
      `${picture} must be a file: send it as such in multipart/form-data.`,
    )
  }
  const read = form.safeParse(
    Object.fromEntries([...fields].filter(([, value]) => !skipsEmpty || value.trim() !== '')),
  )
  if (!read.success) throw invalid(read.error)
  return read.data
}

const badMoment =
  "must be a date and a time in ISO 8601 or EXIF's form, with or without an offset from UTC, or a date alone"
const badZone = 'must be an offset from UTC, or the name of a time zone in the IANA database'

/** The recording details that are written into a photo. */
export const originFields = {
  metadata: z
    .enum(METADATA_CHOICES, { error: `must be one of ${METADATA_CHOICES.join(', ')}` })
    .default('date')
    .openapi({
      description:
        "What the photo says of the recording: nothing, its date, or also place, maker and model, and all that a photo's own still or a `cover_file` says of itself. The date is in EXIF, in the clip and in the file name.",
    }),
  captured_at: formValue(badMoment, parseMoment).optional().openapi({
    type: 'string',
    description:
      "The time of the photo, instead of the recording's and how far the cover is into it: ISO 8601, EXIF's form (`2024:01:14 15:30:12`), or a date alone. Without an offset, that of `time_zone`.",
    example: '2026-03-04T05:06:07+02:00',
  }),
  time_zone: z
    .string({ error: badZone })
    .refine((name) => timeZoneOf(name) !== undefined, badZone)
    .optional()
    .openapi({
      description:
        'The zone whose clocks the photo shows: an offset, or a name of the IANA database. Default: what the photo, the video and its name tell, else UTC; of a local time without a zone none is written.',
      example: 'Europe/Berlin',
    }),
}

/** @throws ServiceError `unprocessable` when a date is given that must not be written */
export function originOf(form: {
  readonly metadata: MetadataChoice
  readonly captured_at?: Moment | undefined
  readonly time_zone?: string | undefined
}): OriginWish {
  if (form.metadata === 'none' && form.captured_at) {
    throw new ServiceError(
      'unprocessable',
      'captured_at is not written with metadata=none: leave one of them out.',
    )
  }
  return { metadata: form.metadata, capturedAt: form.captured_at, timeZone: form.time_zone }
}
