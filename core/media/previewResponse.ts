import { answerRange, matchesETag } from '../http/ranges'
import type { MediaService } from './mediaService'

/**
 * The preview of a session, or the range of it that is asked for. A session's preview never changes, so its id is a
 * strong entity tag.
 * @throws ServiceError `not-found`
 */
export async function previewResponse(
  service: Pick<MediaService, 'previewSize' | 'openPreview'>,
  id: string,
  request: Request,
): Promise<Response> {
  const size = await service.previewSize(id)
  const etag = `"${id}"`
  const headers = {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=3600',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
    ETag: etag,
  }
  if (matchesETag(request.headers.get('If-None-Match') ?? undefined, etag)) {
    return new Response(null, { status: 304, headers })
  }
  const range = answerRange(
    request.headers.get('Range') ?? undefined,
    request.headers.get('If-Range') ?? undefined,
    { size, etag },
  )
  if (range.kind === 'unsatisfiable') {
    const body = {
      detail: `The range lies outside the preview, which has ${size} bytes.`,
      code: 'out-of-range',
    }
    return Response.json(body, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } })
  }
  const isPart = range.kind === 'part'
  const length = isPart ? range.end - range.start + 1 : size
  // Nobody would read the stream of a HEAD request, and an open file would stay open.
  const opened =
    request.method === 'HEAD' ? undefined : await service.openPreview(id, isPart ? range : undefined)
  return new Response(opened?.body ?? null, {
    status: isPart ? 206 : 200,
    headers: {
      ...headers,
      'Content-Type': 'video/mp4',
      'Content-Length': String(length),
      ...(isPart && { 'Content-Range': `bytes ${range.start}-${range.end}/${size}` }),
    },
  })
}
