import { z } from '@hono/zod-openapi'
import { ServiceError } from '@lantern-room/base'
import { refuseMisspelt } from '@lantern-room/base/fields'
import { timingSafeEqual } from 'hono/utils/buffer'
import type { RoomConfig } from '../../config'
import { feedMessage } from '../../service/state/feedMessages'
import { contractOf, failure, GUARDED, SECURITY } from '../http/contracts'
import { refuseForeign } from '../http/refuseForeign'
import type { RoomRoute } from '../http/roomRoute'

const feedContract = contractOf({
  method: 'get',
  path: '/ws',
  summary: 'The feed: a WebSocket of JSON messages',
  security: SECURITY,
  request: {
    query: z.object({
      since: z.string().optional().openapi({ description: 'Resume after this index.' }),
      run: z.string().optional().openapi({
        description: 'Additive: the runId to which `since` belongs; after a restart a snapshot is sent.',
      }),
      token: z.string().optional().openapi({ description: 'The token, where headers cannot be set.' }),
    }),
  },
  responses: {
    101: { description: 'JSON messages, each a FeedMessage; the first is a FeedHello.' },
    ...GUARDED,
    400: failure('`since` is no index, or this is no valid handshake of a WebSocket.'),
    426: failure('This address takes WebSocket connections only.'),
    503: failure('Too many listeners.'),
  },
})

/** Answers requests without an upgrade; upgrades go to the host process, which calls `admitToFeed`. */
export const feedRoute: RoomRoute = {
  contract: feedContract,
  effect: 'none',
  register(app) {
    app.openAPIRegistry.registerPath(feedContract)
    app.openAPIRegistry.register('FeedMessage', feedMessage)
    app.get(feedContract.path, (context) => {
      context.header('Upgrade', 'websocket')
      context.header('Cache-Control', 'no-store')
      return context.json(
        {
          error: 'This address takes WebSocket connections only: connect with ws://.',
          code: 'upgrade-required',
        },
        426,
      )
    })
  },
}

const NO_TOKEN =
  'The token is missing or wrong. Send it as "Authorization: Bearer <token>", as ?token= or as subprotocol.'

export type FeedAccess = Awaited<ReturnType<typeof admitToFeed>>

/**
 * Checks a WebSocket handshake as `createRoomApp` checks requests. The token may also come as `?token=` or as a
 * subprotocol, because browsers cannot set headers.
 * @throws ServiceError `forbidden`, `unauthorized`, `invalid-request`
 * @example const access = await admitToFeed({ url, headers }, config) // before the socket is opened
 */
export async function admitToFeed(
  { url, headers }: { readonly url: URL; readonly headers: Headers },
  config: Pick<RoomConfig, 'token' | 'allowedOrigins'>,
) {
  refuseForeign(headers, config.allowedOrigins)
  const offered = (headers.get('Sec-WebSocket-Protocol') ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
  const protocol = config.token === undefined ? offered[0] : await findMatch(offered, config.token)
  if (config.token !== undefined && protocol === undefined) {
    const bearer = /^Bearer +(\S+) *$/i.exec(headers.get('Authorization') ?? '')?.[1]
    const given = [bearer, url.searchParams.get('token') ?? undefined].filter((word) => word !== undefined)
    if ((await findMatch(given, config.token)) === undefined) throw new ServiceError('unauthorized', NO_TOKEN)
  }
  const { searchParams } = url
  refuseMisspelt(searchParams, ['since', 'run', 'token'])
  return {
    /** Index of the last message that the client has received; undefined for a new client. */
    since: readSince(searchParams.get('since')),
    /** The run to which that index belongs; undefined when the client did not say. */
    runId: searchParams.get('run') || undefined,
    /** The subprotocol to select in the response: the one with the token, if there is one. */
    protocol,
  }
}

async function findMatch(given: readonly string[], token: string): Promise<string | undefined> {
  for (const word of given) if (await timingSafeEqual(word, token)) return word
  return undefined
}

function readSince(text: string | null): number | undefined {
  if (text === null || text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new ServiceError('invalid-request', 'since must be the index of a message, a whole number.')
}
