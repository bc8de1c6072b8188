import { timingSafeEqual } from 'hono/utils/buffer'
import { ServiceError } from '#core/errors'
import type { RoomConfig } from '../config'
import { refuseForeign } from './guards'

export type FeedAccess = {
  /** The last message that the client has seen. */
  readonly since: number | undefined
  /** The subprotocol that held the token, which must be answered. */
  readonly protocol: string | undefined
}

/**
 * Whether a WebSocket may be opened: the guards of every request, and the token in a header, as `?token=`, or as a
 * subprotocol, because browsers cannot set headers.
 * @throws ServiceError `forbidden`, `unauthorized`, `invalid-request`
 */
export async function admitToFeed(
  { url, headers }: { readonly url: URL; readonly headers: Headers },
  config: Pick<RoomConfig, 'token' | 'allowedOrigins'>,
): Promise<FeedAccess> {
  refuseForeign(headers, config.allowedOrigins)
  const offered = (headers.get('Sec-WebSocket-Protocol') ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
  const protocol = config.token === undefined ? offered[0] : await matching(offered, config.token)
  if (config.token !== undefined && protocol === undefined) {
    const bearer = /^Bearer +(\S+) *$/i.exec(headers.get('Authorization') ?? '')?.[1]
    const given = [bearer, url.searchParams.get('token') ?? undefined].filter((word) => word !== undefined)
    if ((await matching(given, config.token)) === undefined) throw unauthorized()
  }
  return { since: readSince(url.searchParams.get('since')), protocol }
}

async function matching(given: readonly string[], token: string): Promise<string | undefined> {
  for (const word of given) if (await timingSafeEqual(word, token)) return word
  return undefined
}

function readSince(text: string | null): number | undefined {
  if (text === null || text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new ServiceError('invalid-request', 'since must be the index of a message, a whole number.')
}

function unauthorized(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'The token is missing or wrong. Send it as "Authorization: Bearer <token>", as ?token= or as subprotocol.',
  )
}
