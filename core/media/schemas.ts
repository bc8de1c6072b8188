import { z } from '@hono/zod-openapi'
import { MAX_SPEED, MIN_SPEED } from './convert/clip'
import { MOTION_PHOTO_PROFILES } from './motionPhoto/profile'
import { isMediaType } from './uploads/upload'

/** What goes over the wire: the same schemas validate and document. */

const SESSION_EXAMPLE = '0f8fad5bd9cb469fa16570867728950e'

const missingOr = (otherwise: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? 'is missing' : otherwise

const sessionId = z
  .string({ error: missingOr('must be text') })
  .min(1, 'is missing')
  .openapi({ description: 'The session that POST /prepare created.', example: SESSION_EXAMPLE })

const NOT_A_NUMBER = 'must be a finite number, such as 1.5'

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

const jsonNumber = z.number({ error: missingOr(NOT_A_NUMBER) })

export const convertForm = z
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

export const thumbnailRequest = z
  .object({
    session_id: sessionId,
    timestamp: jsonNumber.openapi({ description: 'Seconds of the preview.', example: 2 }),
    width: z
      .int({ error: 'must be a whole number of pixels from 16 to 1920' })
      .min(16, 'must be from 16 to 1920')
      .max(1920, 'must be from 16 to 1920')
      .optional()
      .openapi({ description: 'Pixels; never more than the preview has.', example: 320 }),
  })
  .openapi('ThumbnailRequest')

export const cleanupRequest = z.object({ session_id: sessionId }).openapi('CleanupRequest')

export const cleanupResult = z.object({ message: z.string() }).openapi('CleanupResult')

export const prepareForm = z
  .object({
    file: z.string().optional().openapi({ format: 'binary', description: 'A video or an animated image.' }),
    upload_id: z
      .string()
      .optional()
      .openapi({ description: 'Instead of a file: the upload that POST /uploads allowed, after its PUT.' }),
  })
  .openapi('PrepareForm', { description: 'Either `file` or `upload_id`.' })

export const prepareUpload = z.object({ upload_id: z.string() }).openapi('PrepareUpload')

export const uploadRequest = z
  .object({
    size: z
      .int({ error: missingOr('must be a whole number of bytes, at least 1') })
      .min(1, 'must be at least 1')
      .openapi({ description: 'Bytes of the file, exactly.', example: 104_857_600 }),
    content_type: z
      .string({ error: missingOr('must be text') })
      .trim()
      .refine(isMediaType, 'must be a media type, such as video/mp4')
      .openapi({
        description: 'Sent with the file. What the file is, is seen from its content.',
        example: 'video/mp4',
      }),
  })
  .openapi('UploadRequest')

export const uploadResult = z
  .object({
    upload_id: z.string().openapi({ description: 'For POST /prepare. A secret.', example: SESSION_EXAMPLE }),
    url: z.string().openapi({
      description: 'Absolute. One PUT of the file goes here, with the headers below and without a token.',
      example: `http://127.0.0.1:8000/uploads/${SESSION_EXAMPLE}`,
    }),
    headers: z.record(z.string(), z.string()).openapi({
      description: 'Headers of the PUT, just so.',
      example: { 'Content-Type': 'application/octet-stream' },
    }),
    expires_at: z.int().openapi({ description: 'Unix time in seconds; after it, neither PUT nor prepare.' }),
  })
  .openapi('UploadResult')

export const uploadPath = z.object({
  upload_id: z.string().openapi({ param: { name: 'upload_id', in: 'path' }, example: SESSION_EXAMPLE }),
})

export const prepareResult = z
  .object({
    session_id: z.string().openapi({ example: SESSION_EXAMPLE }),
    preview_url: z
      .string()
      .openapi({ description: 'Absolute.', example: `http://127.0.0.1:8000/preview/${SESSION_EXAMPLE}.mp4` }),
    duration: z.number().openapi({ description: 'Seconds: frames / 30.', example: 10 }),
    width: z.int().openapi({ description: 'Pixels of the preview.' }),
    height: z.int(),
    has_audio: z.boolean(),
    frames: z.int().openapi({ description: 'Frames of the preview, at 30 a second.' }),
    expires_at: z.int().openapi({ description: 'Unix time in seconds.' }),
  })
  .openapi('PrepareResult')

export const sessionRecord = z
  .object({
    ...prepareResult.shape,
    created_at: z.number().openapi({ description: 'Unix time in seconds.' }),
    duration_ms: z.int(),
  })
  .openapi('Session')

export const sessionPath = z.object({
  session_id: z.string().openapi({ param: { name: 'session_id', in: 'path' }, example: SESSION_EXAMPLE }),
})

export const errorBody = z
  .object({
    detail: z.string().openapi({ description: 'What went wrong and what to do, for a person.' }),
    code: z.string().openapi({ description: 'The same for a program.', example: 'not-found' }),
  })
  .openapi('Error')
