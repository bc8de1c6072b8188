import { z } from '@hono/zod-openapi'
import { answerRange, matchesETag } from '@lantern-room/base/http'
import type { PreviewLinks } from '../sessions/previewLinks'
import type { Sessions } from '../sessions/sessions'
import { sessionInPath } from './fields'
import { type MediaRoute, noteSession, plainRoute } from './mediaRoute'
import { binary, ELSEWHERE, failures, secured } from './responses'

export const previewContract = secured({
  method: 'get',
  path: '/preview/{session_id}.mp4',
  operationId: 'getPreview',
  tags: ['Sessions'],
  summary: 'The preview of a session; one byte range at a time',
  request: {
    params: z.object({ session_id: sessionInPath }),
  },
  responses: {
    200: {
      description: 'The MP4.',
      content: binary('video/mp4'),
      headers: z.object({ 'Accept-Ranges': z.literal('bytes'), ETag: z.string() }),
    },
    206: {
      description: 'The range that was asked for.',
      content: binary('video/mp4'),
      headers: z.object({
        'Content-Range': z.string().openapi({ example: 'bytes 0-1023/146515' }),
        ETag: z.string(),
      }),
    },
    303: ELSEWHERE,
    307: {
      description: 'The preview is at `Location`, which is signed and valid for some hours.',
      headers: z.object({ Location: z.string() }),
    },
    304: { description: 'The client has it already.' },
    ...failures(401, 404, 416),
  },
})

type PreviewSessions = Pick<Sessions, 'previewSize' | 'openPreview'>

/** @param links defined where clients are redirected to the store for the bytes; the session is checked here all the same */
export function previewRoute(sessions: PreviewSessions, links?: PreviewLinks): MediaRoute {
  return plainRoute(previewContract, async (context) => {
    const [, id = ''] = /^(.*)\.mp4$/.exec(context.req.param('session_id') ?? '') ?? []
    noteSession(context, id)
    return previewResponse({ sessions, links }, id, context.req.raw)
  })
}

/**
 * The preview of a session, or the requested range of it. A session's preview never changes, so its id is a strong
 * entity tag.
 */
async function previewResponse(
  { sessions, links }: { readonly sessions: PreviewSessions; readonly links: PreviewLinks | undefined },
  id: string,
  request: Request,
): Promise<Response> {
  const size = await sessions.previewSize(id)
  const etag = `"${id}"`
  const headers = {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=3600',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
    ETag: etag,
  }
  const header = (name: string) => request.headers.get(name) ?? undefined
  if (matchesETag(header('If-None-Match'), etag)) return new Response(null, { status: 304, headers })
  const range = answerRange(header('Range'), header('If-Range'), { size, etag })
  if (range.kind === 'unsatisfiable') {
    const body = {
      detail: `The range lies outside the preview, which has ${size} bytes.`,
      code: 'out-of-range',
    }
    return Response.json(body, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } })
  }
  const part = range.kind === 'part' ? range : undefined
  const bytes = part ? part.end - part.start + 1 : size
  if (links && request.method === 'GET' && bytes > links.maxOwnBytes)
    return redirect(links.maxOwnBytes === 0 ? 307 : 303, await links.linkTo(id))
  // The stream of a HEAD request would never be read, and the file behind it would stay open.
  const opened = request.method === 'HEAD' ? undefined : await sessions.openPreview(id, part)
  return new Response(opened?.body ?? null, {
    status: part ? 206 : 200,
    headers: {
      ...headers,
      'Content-Type': 'video/mp4',
      'Content-Length': String(bytes),
      ...(part && { 'Content-Range': `bytes ${part.start}-${part.end}/${size}` }),
    },
  })
}

/** Not to be cached for long: the address that it names does not stay valid. */
function redirect(status: 303 | 307, location: string): Response {
  return new Response(null, {
    status,
    headers: {
      Location: location,
      'Cache-Control': 'private, max-age=300',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  })
}
