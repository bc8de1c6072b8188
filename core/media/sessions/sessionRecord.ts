import { z } from 'zod'
import { parseJson } from '#core/bytes'
import { encodeFields, type Fields, fieldsOf } from '../storedFields'
import { ALPHA_DECODERS, type Capture, PRIMARIES } from '../traits'
import { hasLifetime, type Session, sessionKeys } from './session'

const storedCapture = z.object({
  unix_ms: z.number().nullable(),
  offset_minutes: z.number().int().nullable(),
  is_local: z.boolean().optional(),
  time_from: z.enum(['video', 'photo', 'name']).nullish(),
  file_name: z.string().nullish(),
  place: z
    .object({ latitude: z.number(), longitude: z.number(), altitude: z.number().nullable() })
    .nullable(),
  maker: z.string().nullable(),
  model: z.string().nullable(),
})

const sessionFields = z.object({
  session_id: z.string(),
  created_at: z.number(),
  expires_at: z.int(),
  duration_ms: z.number().int(),
  frames: z.number().int().positive(),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
  has_audio: z.boolean(),
  source_seconds: z.number().nonnegative().nullable(),
  strip: z
    .object({
      tile_width: z.number().int().positive(),
      tile_height: z.number().int().positive(),
      row_height: z.number().int().positive(),
      tiles: z.number().int().positive(),
      interval: z.number().int().positive(),
    })
    .nullable(),
  capture: storedCapture,
  still: z.object({ seconds: z.number().nonnegative().nullable() }).nullish(),
  original: z.object({
    kind: z.enum(['video', 'animated-image', 'webp']),
    width: z.number().int().positive(),
    height: z.number().int().positive(),
    matrix: z.enum(['bt709', 'bt601', 'bt2020']),
    primaries: z.enum(PRIMARIES),
    hdr_transfer: z.enum(['smpte2084', 'arib-std-b67']).nullable(),
    has_alpha: z.boolean(),
    is_interlaced: z.boolean(),
    decoder: z.enum(ALPHA_DECODERS).nullable(),
    is_seekable: z.boolean(),
    starts_at_zero: z.boolean(),
    stream: z.number().int().nonnegative(),
    stream_id: z.number().int().nonnegative().nullable(),
    first_frame: z.number().int().nonnegative(),
    unindexed: z
      .object({
        sound: z.number().int().nonnegative().nullable(),
        rounds_down: z.boolean(),
        starts_grey: z.boolean(),
      })
      .nullish(),
  }),
})

const storedSession = sessionFields.refine(hasLifetime)

/** Those of the schema, and where the preview is, which the key of the record says, too. */
type StoredSession = z.input<typeof storedSession> & { video_path: string }

export function encodeSession(session: Session): Uint8Array {
  const { id, capture, original, ...others } = session
  const { time = { unixMs: undefined, offsetMinutes: undefined }, ...recording } = capture
  const { size, ...traits } = original
  return encodeFields<StoredSession>({
    sessionId: id,
    videoPath: sessionKeys(id).preview,
    ...others,
    capture: { ...time, ...recording },
    original: { ...size, ...traits },
  })
}

/** @returns undefined when the bytes are no session record */
export function decodeSession(bytes: Uint8Array): Session | undefined {
  const stored = storedSession.safeParse(parseJson(bytes)).data
  if (!stored) return undefined
  const { sessionId, capture, original, ...others } = fieldsOf(stored)
  const { width, height, unindexed, ...traits } = original
  return {
    ...others,
    id: sessionId,
    capture: captureOf(capture),
    original: { ...traits, size: { width, height }, ...(unindexed && { unindexed }) },
  }
}

function captureOf(stored: Fields<z.infer<typeof storedCapture>>): Capture {
  const { unixMs, offsetMinutes, isLocal, timeFrom, fileName, ...recording } = stored
  const time = { offsetMinutes, ...(isLocal && { isLocal }) }
  return {
    ...recording,
    time: unixMs === undefined ? undefined : { unixMs, ...time },
    ...(timeFrom && { timeFrom }),
    ...(fileName !== undefined && { fileName }),
  }
}
