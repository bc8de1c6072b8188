import { z } from '@hono/zod-openapi'
import type { Log } from '@lantern-room/base'
import { wallClock } from '@lantern-room/formats'
import { isoTime } from '@lantern-room/formats/time'
import { FPS } from '../frames'
import type { ObjectStore } from '../objectStore/ports'
import type { Session } from '../sessions/session'
import type { Sessions } from '../sessions/sessions'
import { recordOf } from '../storedFields'
import { filmstrip } from '../traits'
import { SESSION_EXAMPLE, sessionId, sessionInPath } from './fields'
import {
  auditRemoval,
  type MediaRoute,
  noteSession,
  plainRoute,
  smallBody,
  validatedRoute,
} from './mediaRoute'
import { failures, secured } from './responses'
import { ALSO_AS_A_FORM, readSmallBody } from './smallBody'

/** The description of a session in the answer to POST /prepare. GET /sessions/{session_id} extends it. */
export const sessionSummary = z
  .object({
    session_id: z.string().openapi({ example: SESSION_EXAMPLE }),
    preview_url: z
      .string()
      .openapi({ description: 'Absolute.', example: `http://127.0.0.1:8000/preview/${SESSION_EXAMPLE}.mp4` }),
    duration: z.number().openapi({ description: 'Seconds: frames / 30.', example: 10 }),
    width: z.int().openapi({ description: 'Pixels of the preview.' }),
    height: z.int(),
    source_width: z
      .int()
      .openapi({ description: 'Pixels of the original as shown, in which a crop is counted.' }),
    source_height: z.int(),
    has_audio: z.boolean(),
    has_still: z
      .boolean()
      .openapi({ description: 'Whether the source has a picture of its own, for `cover=source`.' }),
    frames: z.int().openapi({ description: 'Frames of the preview, at 30 a second.' }),
    strip: z
      .object({
        url: z.string().openapi({
          description: 'Absolute. A JPEG with the tiles below each other.',
          example: `http://127.0.0.1:8000/sessions/${SESSION_EXAMPLE}/strip.jpg`,
        }),
        ...filmstrip.shape,
      })
      .optional()
      .openapi({ description: 'Small pictures of the preview in one JPEG; absent where there is none.' }),
    from: z
      .number()
      .openapi({ description: 'Where the preview begins and ends, in seconds of the original.', example: 0 }),
    to: z.number().openapi({ example: 10 }),
    source_duration: z
      .number()
      .nullable()
      .openapi({ description: 'Seconds of the whole original; null when its file does not say.' }),
    captured_at: z.string().nullable().openapi({
      description:
        'When the video was recorded; with the offset, Z where only UTC is known, or neither where only the local time is; a day alone where only that is.',
      example: '2026-03-04T05:06:07+02:00',
    }),
    captured_at_from: z
      .enum(['photo', 'video', 'name'])
      .nullable()
      .openapi({
        description: 'What says so: the photo in which the video was, the video, or the name of its file.',
        // Enumerations in Kotlin have a `name` of their own; this is what openapi-generator calls each value instead.
        'x-enum-varnames': ['photo', 'video', 'fileName', 'none'],
      }),
    expires_at: z.int().openapi({ description: 'Unix time in seconds.' }),
  })
  .openapi('PrepareResult')

/** @param publicUrl without a final slash */
export function summarize(session: Session, publicUrl: string): z.infer<typeof sessionSummary> {
  const { strip } = session
  return {
    session_id: session.id,
    preview_url: `${publicUrl}/preview/${session.id}.mp4`,
    duration: session.frames / FPS,
    width: session.width,
    height: session.height,
    source_width: session.original.size.width,
    source_height: session.original.size.height,
    has_audio: session.hasAudio,
    has_still: session.still !== undefined,
    frames: session.frames,
    ...(strip && {
      strip: {
        url: `${publicUrl}/sessions/${session.id}/strip.jpg`,
        ...recordOf<z.infer<typeof filmstrip>>(strip),
      },
    }),
    from: session.original.firstFrame / FPS,
    to: (session.original.firstFrame + session.frames) / FPS,
    source_duration: session.sourceSeconds ?? null,
    captured_at: capturedAt(session.capture),
    captured_at_from: session.capture.time ? (session.capture.timeFrom ?? 'video') : null,
    expires_at: Math.floor(session.expiresAt),
  }
}

function capturedAt({ time }: Session['capture']): string | null {
  if (!time) return null
  const shown = isoTime(wallClock(new Date(time.unixMs), time.offsetMinutes ?? 0))
  if (time.isDay) return shown.slice(0, 'YYYY-MM-DD'.length)
  if (time.isLocal) return shown.replace('+00:00', '')
  return time.offsetMinutes === undefined ? shown.replace('+00:00', 'Z') : shown
}

const sessionRecord = z
  .object({
    ...sessionSummary.shape,
    created_at: z.number().openapi({ description: 'Unix time in seconds.' }),
    duration_ms: z.int(),
  })
  .openapi('Session')

export const sessionContract = secured({
  method: 'get',
  path: '/sessions/{session_id}',
  operationId: 'getSession',
  tags: ['Sessions'],
  summary: 'What a session holds and when it expires',
  request: {
    params: z.object({ session_id: sessionInPath }),
  },
  responses: {
    200: { description: 'The session.', content: { 'application/json': { schema: sessionRecord } } },
    ...failures(401, 404, 503),
  },
})

export function sessionRoute(sessions: Pick<Sessions, 'find'>): MediaRoute {
  return validatedRoute(sessionContract, async (context) => {
    const { session_id } = context.req.valid('param')
    noteSession(context, session_id)
    const session = await sessions.find(session_id)
    const body = {
      ...summarize(session, context.var.publicUrl),
      created_at: session.createdAt,
      duration_ms: session.durationMs,
    }
    return context.json(body, 200, { 'Cache-Control': 'no-store' })
  })
}

const cleanupRequest = z.object({ session_id: sessionId }).openapi('CleanupRequest')

const KEPT =
  'The session is removed. Earlier versions of its files stay in the bucket until a rule of the bucket removes them.'

const cleanupResult = z.object({ message: z.string() }).openapi('CleanupResult')

export const cleanupContract = secured({
  method: 'post',
  path: '/cleanup',
  operationId: 'removeSession',
  tags: ['Sessions'],
  summary: 'Remove a session and its files',
  description: ALSO_AS_A_FORM,
  request: { body: { required: true, content: { 'application/json': { schema: cleanupRequest } } } },
  responses: {
    200: { description: 'It is removed.', content: { 'application/json': { schema: cleanupResult } } },
    ...failures(400, 401, 404, 413, 415, 422, 503),
  },
})

export function cleanupRoute(
  sessions: Pick<Sessions, 'find' | 'remove'>,
  { keepsDeleted }: Pick<ObjectStore, 'keepsDeleted'>,
  log: Pick<Log, 'info'>,
): MediaRoute {
  return plainRoute(
    cleanupContract,
    async (context) => {
      const { session_id } = await readSmallBody(cleanupRequest, context.req.raw)
      noteSession(context, session_id)
      await sessions.remove(await sessions.find(session_id))
      auditRemoval(log, context, { session_id })
      const message = keepsDeleted?.() ? KEPT : 'The session and its files are removed.'
      return context.json({ message }, 200)
    },
    smallBody,
  )
}
