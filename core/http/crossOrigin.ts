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
 * Cross-origin access. By default every origin, with credentials, every method and header: the origin is repeated,
 * because browsers refuse `*` together with credentials.
 * @param allowedOrigins restricts origins, and then methods too
 */
export function crossOrigin(allowedOrigins: readonly string[] | undefined): MiddlewareHandler {
  const methods = ['GET', 'HEAD', 'POST', 'OPTIONS']
  return cors({
    origin: (origin) => (!allowedOrigins || allowedOrigins.includes(origin) ? origin : null),
    allowMethods: allowedOrigins ? methods : [...methods, 'PUT', 'PATCH', 'DELETE'],
    exposeHeaders: EXPOSED_HEADERS,
    credentials: true,
    maxAge: 600,
  })
}
