import type { Context, MiddlewareHandler } from 'hono'
import { timingSafeEqual } from 'hono/utils/buffer'
import { ServiceError } from '../errors'

/**
 * Requires `Authorization: Bearer <token>`, with one of the given tokens.
 * @param isOpen requests that need no token; a wrong token is refused all the same. @see docs/decisions.md, D7
 * @param options.attempt waits before a token is judged, so that guessing is slow; `accepted`: its index, if it is right.
 *   @default waits for nothing
 * @param options.onAccepted called with the entry of the token that the request has. @default does nothing
 * @returns middleware that throws ServiceError `unauthorized`, and what `attempt` throws
 * @example app.use(bearerAuth([{ token: config.token }], (path) => path === '/'))
 */
export function bearerAuth<T extends { readonly token: string }>(
  tokens: readonly T[],
  isOpen: (path: string) => boolean,
  {
    attempt = async () => {},
    onAccepted = () => {},
  }: {
    readonly attempt?: (context: Context, accepted: number | undefined) => Promise<void>
    readonly onAccepted?: (context: Context, accepted: T) => void
  } = {},
): MiddlewareHandler {
  return async (context, next) => {
    const header = context.req.header('Authorization')
    if (header === undefined && isOpen(context.req.path)) return next()
    const given = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? ''
    // Compares with every token, so that the time does not tell which of them is nearly right.
    const areEqual = await Promise.all(tokens.map(({ token }) => timingSafeEqual(given, token)))
    const index = areEqual.indexOf(true)
    const accepted = tokens[index]
    if (given !== '') await attempt(context, accepted && index)
    if (accepted === undefined) {
      throw new ServiceError(
        'unauthorized',
        'The token is missing or wrong. Send the header "Authorization: Bearer <token>".',
      )
    }
    onAccepted(context, accepted)
    return next()
  }
}
