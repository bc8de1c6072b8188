import type { MiddlewareHandler } from 'hono'
import { timingSafeEqual } from 'hono/utils/buffer'
import { ServiceError } from '../errors'

/**
 * Requires `Authorization: Bearer <token>`.
 * @param isOpen requests that need no token; a wrong token is refused all the same
 */
export function bearerAuth(token: string, isOpen: (path: string) => boolean): MiddlewareHandler {
  return async (context, next) => {
    const header = context.req.header('Authorization')
    if (header === undefined && isOpen(context.req.path)) return next()
    const given = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
    if (given === undefined || !(await timingSafeEqual(given, token))) {
      throw new ServiceError(
        'unauthorized',
        'The token is missing or wrong. Send the header "Authorization: Bearer <token>".',
      )
    }
    return next()
  }
}
