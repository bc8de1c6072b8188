import { createRoute, z } from '@hono/zod-openapi'
import { ServiceError } from '#core/errors'
import type { SessionThumbnails } from '../thumbnails/sessionThumbnails'
import { sessionInPath } from './fields'
import { lastingJpeg } from './lastingJpeg'
import { callerOf, type MediaRoute, noteSession } from './mediaRoute'
import { binary, failures, SECURITY } from './responses'

const WIDTH = 'must be a whole number of pixels from 16 to 1920'

export const frameContract = createRoute({
  method: 'get',
  path: '/sessions/{session_id}/frames/{file}',
  operationId: 'getFrame',
  tags: ['Sessions'],
  summary: 'A JPEG of one frame of the preview, counted from 0',
  security: SECURITY,
  request: {
    params: z.object({
      session_id: sessionInPath,
      file: z.string().openapi({
        param: { name: 'file', in: 'path' },
        description: '`{n}.jpg`; a frame lasts 1/30 s',
        example: '60.jpg',
      }),
    }),
    query: z.object({
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
    }),
  },
  responses: {
    200: { description: 'The frame, which never changes.', content: binary('image/jpeg') },
    304: { description: 'The client has it already.' },
    ...failures(401, 404, 422, 429, 500, 503, 504),
  },
})

/** @param findFrame see `SessionThumbnails` */
export function frameRoute(findFrame: SessionThumbnails['findFrame']): MediaRoute {
  return {
    contract: frameContract,
    register: (app) =>
      app.openapi(frameContract, async (context) => {
        const { session_id, file } = context.req.valid('param')
        const { width } = context.req.valid('query')
        noteSession(context, session_id)
        const frame = frameNumber(file)
        const make = await findFrame({ sessionId: session_id, frame, width }, callerOf(context))
        return lastingJpeg(context.req.raw, `${session_id}-${frame}-${width ?? 'full'}`, make)
      }),
  }
}

function frameNumber(file: string): number {
  const number = /^(0|[1-9]\d{0,8})\.jpg$/.exec(file)?.[1]
  if (number !== undefined) return Number(number)
  throw new ServiceError('not-found', 'A frame is named by its number, counted from 0, such as 60.jpg.')
}
