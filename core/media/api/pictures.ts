import { z } from '@hono/zod-openapi'
import { ServiceError } from '@lantern-room/base'
import { matchesETag } from '@lantern-room/base/http'
import type { SessionThumbnails } from '../preview/frames/sessionThumbnails'
import type { Sessions } from '../sessions/sessions'
import { missingOr, NOT_A_NUMBER, readFields, sessionId, sessionInPath } from './fields'
import { callerOf, type MediaRoute, noteSession, plainRoute, smallBody, validatedRoute } from './mediaRoute'
import { binary, failures, pictureResponse, secured } from './responses'
import { ALSO_AS_A_FORM, readSmallBody } from './smallBody'

const thumbnailRequest = z
  .object({
    session_id: sessionId,
    timestamp: z
      .number({ error: missingOr(NOT_A_NUMBER) })
      .openapi({ description: 'Seconds of the preview.', example: 2 }),
    width: z
      .int({ error: 'must be a whole number of pixels from 16 to 1920' })
      .min(16, 'must be from 16 to 1920')
      .max(1920, 'must be from 16 to 1920')
      .optional()
      .openapi({ description: 'Pixels; never more than the preview has.', example: 320 }),
  })
  .openapi('ThumbnailRequest')

export const thumbnailContract = secured({
  method: 'post',
  path: '/thumbnail',
  operationId: 'takeThumbnail',
  tags: ['Sessions'],
  summary: 'A JPEG of the frame at a time',
  description: ALSO_AS_A_FORM,
  request: { body: { required: true, content: { 'application/json': { schema: thumbnailRequest } } } },
  responses: {
    200: { description: 'The frame.', content: binary('image/jpeg') },
    ...failures(400, 401, 404, 413, 415, 422, 429, 500, 503, 504),
  },
})

export function thumbnailRoute(thumbnail: SessionThumbnails['atTime']): MediaRoute {
  return plainRoute(
    thumbnailContract,
    async (context) => {
      const { session_id, timestamp, width } = await readSmallBody(thumbnailRequest, context.req.raw)
      noteSession(context, session_id)
      const request = { sessionId: session_id, timestamp, width }
      return pictureResponse(await thumbnail(request, callerOf(context)))
    },
    smallBody,
  )
}

export const stripContract = secured({
  method: 'get',
  path: '/sessions/{session_id}/strip.jpg',
  operationId: 'getFilmstrip',
  tags: ['Sessions'],
  summary: 'The filmstrip of a session: small pictures below each other, as `strip` of the session says',
  request: { params: z.object({ session_id: sessionInPath }) },
  responses: {
    200: { description: 'The filmstrip, which never changes.', content: binary('image/jpeg') },
    304: { description: 'The client has it already.' },
    ...failures(401, 404, 503),
  },
})

export function stripRoute(sessions: Pick<Sessions, 'find' | 'read'>): MediaRoute {
  return validatedRoute(stripContract, async (context) => {
    const { session_id } = context.req.valid('param')
    noteSession(context, session_id)
    const session = await sessions.find(session_id)
    if (!session.strip)
      throw new ServiceError(
        'not-found',
        'This session has no filmstrip. Ask for its frames by their numbers.',
      )
    return lastingJpeg(context.req.raw, `${session.id}-strip`, () => sessions.read(session, 'strip'))
  })
}

const WIDTH = 'must be a whole number of pixels from 16 to 1920'

const frameQuery = z.object({
  width: z
    .string({ error: WIDTH })
    .regex(/^\d{2,4}$/, WIDTH)
    .transform(Number)
    .refine((pixels) => pixels >= 16 && pixels <= 1920, WIDTH)
    .optional()
    .openapi({
      type: 'integer',
      description: 'Pixels; never more than the preview has.',
      example: 320,
    }),
})

export const frameContract = secured({
  method: 'get',
  path: '/sessions/{session_id}/frames/{n}.jpg',
  operationId: 'getFrame',
  tags: ['Sessions'],
  summary: 'A JPEG of one frame of the preview, counted from 0',
  request: {
    params: z.object({
      session_id: sessionInPath,
      n: z.string().openapi({
        param: { name: 'n', in: 'path' },
        type: 'integer',
        description: 'The number of the frame, which lasts 1/30 s.',
        example: '60',
      }),
    }),
    query: frameQuery,
  },
  responses: {
    200: { description: 'The frame, which never changes.', content: binary('image/jpeg') },
    304: { description: 'The client has it already.' },
    ...failures(401, 404, 422, 429, 500, 503, 504),
  },
})

export function frameRoute(findFrame: SessionThumbnails['findFrame']): MediaRoute {
  return plainRoute(frameContract, async (context) => {
    const sessionId = context.req.param('session_id') ?? ''
    const { width } = readFields(frameQuery, queryOf(context.req.raw), { skipsEmpty: false })
    noteSession(context, sessionId)
    const frame = frameNumber(context.req.param('n') ?? '')
    const make = await findFrame({ sessionId, frame, width }, callerOf(context))
    return lastingJpeg(context.req.raw, `${sessionId}-${frame}-${width ?? 'full'}`, make)
  })
}

/** A field that is there twice has both values, which is a text that no field takes. */
function queryOf({ url }: Request): ReadonlyMap<string, string> {
  const { searchParams } = new URL(url)
  return new Map([...searchParams.keys()].map((name) => [name, searchParams.getAll(name).join('\n')]))
}

/** @param file as in the address, such as `60.jpg` */
function frameNumber(file: string): number {
  const number = /^(0|[1-9]\d{0,8})\.jpg$/.exec(file)?.[1]
  if (number !== undefined) return Number(number)
  throw new ServiceError('not-found', 'A frame is named by its number, counted from 0, such as 60.jpg.')
}

/** A year, the longest that caches honour. */
const LASTING = 'private, max-age=31536000, immutable'

/**
 * A JPEG of a session that never changes, so that what names it is a strong entity tag. Browsers keep it and do not ask
 * again.
 * @param make is not called when the client has the JPEG already
 * @see RFC 8246
 */
async function lastingJpeg(
  request: Request,
  name: string,
  make: () => Promise<Uint8Array>,
): Promise<Response> {
  const etag = `"${name}"`
  const headers = {
    'Cache-Control': LASTING,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
    ETag: etag,
  }
  const known = request.headers.get('If-None-Match') ?? undefined
  if (matchesETag(known, etag)) return new Response(null, { status: 304, headers })
  return pictureResponse(await make(), headers)
}
