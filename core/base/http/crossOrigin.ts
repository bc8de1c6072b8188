import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

const EXPOSED_HEADERS = [
  'Accept-Ranges',
  'Content-Range',
  'Content-Length',
  'Content-Disposition',
  'ETag',
  'Retry-After',
  'Location',
  'Preference-Applied',
  'X-Clip-Quality',
  'X-Taken-At-From',
  'X-Time-Zone-From',
  'X-Clip-Quality-Reason',
  'X-Clip-Source-Rate',
  'X-Clip-Turned',
  'X-Metadata-Lost',
  'X-Ultra-HDR',
  'X-Sound',
]

/**
 * Cross-origin access. By default every origin, with credentials, every method and header: the origin is repeated in
 * the response, because browsers refuse `*` together with credentials.
 * @param allowedOrigins restricts origins, and then methods, too; undefined = every origin
 * @param isUpload paths on which PUT and DELETE are still allowed then. @default none
 * @example app.use(crossOrigin(['https://photos.example.com'], (path) => path.startsWith('/uploads/')))
 */
export function crossOrigin(
  allowedOrigins: readonly string[] | undefined,
  isUpload: (path: string) => boolean = () => false,
): MiddlewareHandler {
  const methods = ['GET', 'HEAD', 'POST', 'OPTIONS']
  return cors({
    origin: (origin) => (!allowedOrigins || allowedOrigins.includes(origin) ? origin : null),
    allowMethods: (_origin, { req }) => {
      if (!allowedOrigins) return [...methods, 'PUT', 'PATCH', 'DELETE']
      return isUpload(req.path) ? [...methods, 'PUT', 'DELETE'] : methods
    },
    exposeHeaders: EXPOSED_HEADERS,
    credentials: true,
    maxAge: 600,
  })
}
