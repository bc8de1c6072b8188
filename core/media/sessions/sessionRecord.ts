import { z } from 'zod'
import { parseJson } from '#core/bytes'
import { ALPHA_DECODERS, type Capture, PRIMARIES, UNKNOWN_CAPTURE, type Unindexed } from '../traits'
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
  video_path: z.string(),
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

export function encodeSession(session: Session): Uint8Array {
  const { original, strip } = session
  const stored: z.infer<typeof storedSession> = {
    session_id: session.id,
    video_path: sessionKeys(session.id).preview,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    duration_ms: session.durationMs,
    frames: session.frames,
    width: session.width,
    height: session.height,
    has_audio: session.hasAudio,
    source_seconds: session.sourceSeconds ?? null,
    strip: strip
      ? {
          tile_width: strip.tileWidth,
          tile_height: strip.tileHeight,
          row_height: strip.rowHeight,
          tiles: strip.tiles,
          interval: strip.interval,
        }
      : null,
    capture: encodeCapture(session.capture),
    still: session.still ? { seconds: session.still.seconds ?? null } : null,
    original: {
      kind: original.kind,
      width: original.size.width,
      height: original.size.height,
      matrix: original.matrix,
      primaries: original.primaries,
      hdr_transfer: original.hdrTransfer ?? null,
      has_alpha: original.hasAlpha,
      is_interlaced: original.isInterlaced,
      decoder: original.decoder ?? null,
      is_seekable: original.isSeekable,
      starts_at_zero: original.startsAtZero,
      stream: original.stream,
      stream_id: original.streamId ?? null,
      first_frame: original.firstFrame,
      unindexed: original.unindexed ? encodeUnindexed(original.unindexed) : null,
    },
  }
  return new TextEncoder().encode(JSON.stringify(stored))
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
  const { original, strip } = stored
  return {
    id: stored.session_id,
    createdAt: stored.created_at,
    expiresAt,
    durationMs: stored.duration_ms,
    frames: stored.frames,
    width: stored.width,
    height: stored.height,
    hasAudio: stored.has_audio,
    sourceSeconds: stored.source_seconds ?? undefined,
    strip: strip
      ? {
          tileWidth: strip.tile_width,
          tileHeight: strip.tile_height,
          rowHeight: strip.row_height,
          tiles: strip.tiles,
          interval: strip.interval,
        }
      : undefined,
    capture: decodeCapture(stored.capture),
    still: stored.still ? { seconds: stored.still.seconds ?? undefined } : undefined,
    original: {
      kind: original.kind,
      size: { width: original.width, height: original.height },
      matrix: original.matrix,
      primaries: original.primaries,
      hdrTransfer: original.hdr_transfer ?? undefined,
      hasAlpha: original.has_alpha,
      isInterlaced: original.is_interlaced,
      decoder: original.decoder ?? undefined,
      isSeekable: original.is_seekable,
      startsAtZero: original.starts_at_zero,
      stream: original.stream,
      streamId: original.stream_id ?? undefined,
      firstFrame: original.first_frame,
      ...(original.unindexed && { unindexed: decodeUnindexed(original.unindexed) }),
    },
  }
}

type StoredUnindexed = NonNullable<z.infer<typeof storedSession>['original']['unindexed']>

function encodeUnindexed({ sound, roundsDown, startsGrey }: Unindexed): StoredUnindexed {
  return { sound: sound ?? null, rounds_down: roundsDown, starts_grey: startsGrey }
}

function decodeUnindexed(stored: StoredUnindexed): Unindexed {
  return { sound: stored.sound ?? undefined, roundsDown: stored.rounds_down, startsGrey: stored.starts_grey }
}

function encodeCapture(capture: Capture): z.infer<typeof storedCapture> {
  const { time, place, maker, model } = capture
  return {
    unix_ms: time?.unixMs ?? null,
    offset_minutes: time?.offsetMinutes ?? null,
    is_local: time?.isLocal ?? false,
    time_from: capture.timeFrom ?? null,
    file_name: capture.fileName ?? null,
    place: place ? { ...place, altitude: place.altitude ?? null } : null,
    maker: maker ?? null,
    model: model ?? null,
  }
}

function decodeCapture(stored: z.infer<typeof storedCapture> | null): Capture {
  if (!stored) return UNKNOWN_CAPTURE
  const { unix_ms: unixMs, offset_minutes: offset, place, maker, model } = stored
  const time = { offsetMinutes: offset ?? undefined, ...(stored.is_local && { isLocal: true }) }
  return {
    time: unixMs === null ? undefined : { unixMs, ...time },
    ...(stored.time_from && { timeFrom: stored.time_from }),
    ...(stored.file_name !== null && { fileName: stored.file_name }),
    place: place ? { ...place, altitude: place.altitude ?? undefined } : undefined,
    maker: maker ?? undefined,
    model: model ?? undefined,
  }
}
