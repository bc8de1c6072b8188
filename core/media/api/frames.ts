import { createRoute, z } from '@hono/zod-openapi'
import { ServiceError } from '#core/errors'
import type { SessionThumbnails } from '../thumbnails/sessionThumbnails'
import { readFields, sessionInPath } from './fields'
import { lastingJpeg } from './lastingJpeg'
import { callerOf, honoPath, type MediaRoute, noteSession } from './mediaRoute'
import { binary, failures, SECURITY } from './responses'

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

export const frameContract = createRoute({
  method: 'get',
  path: '/sessions/{session_id}/frames/{n}.jpg',
  operationId: 'getFrame',
  tags: ['Sessions'],
  summary: 'A JPEG of one frame of the preview, counted from 0',
  security: SECURITY,
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

/** @param findFrame see `SessionThumbnails` */
export function frameRoute(findFrame: SessionThumbnails['findFrame']): MediaRoute {
  return {
    contract: frameContract,
    register: (app) => {
      app.openAPIRegistry.registerPath(frameContract)
      app.get(honoPath(frameContract.path), async (context) => {
        const sessionId = context.req.param('session_id') ?? ''
        const { width } = readFields(frameQuery, queryOf(context.req.raw), { skipsEmpty: false })
        noteSession(context, sessionId)
        const frame = frameNumber(context.req.param('n') ?? '')
        const make = await findFrame({ sessionId, frame, width }, callerOf(context))
        return lastingJpeg(context.req.raw, `${sessionId}-${frame}-${width ?? 'full'}`, make)
      })
    },
  }
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
