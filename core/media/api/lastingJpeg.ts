import { matchesETag } from '#core/http/ranges'

/** A year, the longest that caches honour. */
const LASTING = 'private, max-age=31536000, immutable'

/**
 * A JPEG of a session that never changes, so that what names it is a strong entity tag. Browsers keep it and do not ask
 * again.
 * @param make is not called when the client has the JPEG already
 * @see RFC 8246
 */
export async function lastingJpeg(
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
  const jpeg = await make()
  return new Response(new Uint8Array(jpeg), {
    headers: { ...headers, 'Content-Type': 'image/jpeg', 'Content-Length': String(jpeg.length) },
  })
}
