import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

const EXPOSED_HEADERS = [
  'Accept-Ranges',
  'Content-Range',
  'Content-Length',
  'Content-Disposition',
  'ETag',
  'Retry-After',
]

/**
 * Cross-origin access. By default every origin, with credentials, every method and header: the origin is repeated in
 * the response, because browsers refuse `*` together with credentials.
 * @param allowedOrigins restricts origins, and then methods, too
 * @param takesPut paths on which PUT is still allowed then
 */
export function crossOrigin(
  allowedOrigins: readonly string[] | undefined,
  takesPut: (path: string) => boolean = () => false,
): MiddlewareHandler {
  const methods = ['GET', 'HEAD', 'POST', 'OPTIONS']
  return cors({
    origin: (origin) => (!allowedOrigins || allowedOrigins.includes(origin) ? origin : null),
    allowMethods: (_origin, { req }) => {
      if (!allowedOrigins) return [...methods, 'PUT', 'PATCH', 'DELETE']
      return takesPut(req.path) ? [...methods, 'PUT'] : methods
    },
    exposeHeaders: EXPOSED_HEADERS,
    credentials: true,
    maxAge: 600,
  })
}
