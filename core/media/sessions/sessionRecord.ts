import { z } from 'zod'
import { parseJson } from '#core/bytes'
import { encodeFields, type Fields, fieldsOf } from '../storedFields'
import { ALPHA_DECODERS, type Capture, PRIMARIES, UNKNOWN_CAPTURE } from '../traits'
import { expiryOf } from './recordLife'
import { type Session, sessionKeys } from './session'

/** The recording details found in the original. Absent in sessions of older versions. */
const storedCapture = z.object({
  unix_ms: z.number().nullable(),
  offset_minutes: z.number().int().nullable(),
  is_local: z.boolean().default(false),
  time_from: z.enum(['video', 'photo', 'name']).nullable().default(null),
  file_name: z.string().nullable().default(null),
  place: z
    .object({ latitude: z.number(), longitude: z.number(), altitude: z.number().nullable() })
    .nullable(),
  maker: z.string().nullable(),
  model: z.string().nullable(),
})

const storedSession = z.object({
  session_id: z.string(),
  created_at: z.number(),
  expires_at: z.int().optional(),
  duration_ms: z.number().int(),
  frames: z.number().int().positive(),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
  has_audio: z.boolean(),
  source_seconds: z.number().nonnegative().nullable().default(null),
  strip: z
    .object({
      tile_width: z.number().int().positive(),
      tile_height: z.number().int().positive(),
      row_height: z.number().int().positive(),
      tiles: z.number().int().positive(),
      interval: z.number().int().positive(),
    })
    .nullable()
    .default(null),
  capture: storedCapture.nullable().default(null),
  still: z.object({ seconds: z.number().nonnegative().nullable() }).nullable().default(null),
  original: z.object({
    kind: z.enum(['video', 'animated-image', 'webp']),
    width: z.number().int().positive(),
    height: z.number().int().positive(),
    matrix: z.enum(['bt709', 'bt601', 'bt2020']),
    // Sessions of older versions have none; their previews were made as if it was BT.709.
    primaries: z.enum(PRIMARIES).default('bt709'),
    hdr_transfer: z.enum(['smpte2084', 'arib-std-b67']).nullable(),
    has_alpha: z.boolean(),
    is_interlaced: z.boolean(),
    decoder: z.enum(ALPHA_DECODERS).nullable(),
    is_seekable: z.boolean(),
    starts_at_zero: z.boolean().default(false),
    stream: z.number().int().nonnegative().default(0),
    stream_id: z.number().int().nonnegative().nullable().default(null),
    first_frame: z.number().int().nonnegative().default(0),
    unindexed: z
      .object({
        sound: z.number().int().nonnegative().nullable(),
        rounds_down: z.boolean(),
        starts_grey: z.boolean(),
      })
      .nullable()
      .default(null),
  }),
})

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

/**
 * @param ttlSeconds for sessions of older versions, whose records do not say when they expire
 * @returns undefined when the bytes are no session record
 */
export function decodeSession(bytes: Uint8Array, ttlSeconds: number): Session | undefined {
  const parsed = parseJson(bytes)
  const stored = storedSession.safeParse(parsed).data
  const expiresAt = expiryOf(parsed, ttlSeconds)
  if (!stored || expiresAt === undefined) return undefined
  const { sessionId, capture, original, ...others } = fieldsOf(stored)
  const { width, height, unindexed, ...traits } = original
  return {
    ...others,
    id: sessionId,
    expiresAt,
    capture: capture ? captureOf(capture) : UNKNOWN_CAPTURE,
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
