import { z } from '@hono/zod-openapi'
import { gameServers } from './gameRecords'
import { connections } from './playerConnections'
import { guest, profile, role } from './roomView'
import { LAUNCHER_STATES } from './stages'
import { statusReportFields } from './statusReport'

const index = z.int().openapi({ description: 'Additive: rises with each message; resume with `?since=`.' })

const hello = z
  .object({
    type: z.literal('hello'),
    runId: z.string().openapi({ description: 'Of this run of the program; give it as `run` with `since`.' }),
    contractVersion: z.string(),
    isResumed: z.boolean().openapi({
      description:
        'True: the missed messages follow. False: a snapshot follows, which replaces what is known.',
    }),
    index: index.openapi({
      description: 'Additive: the index after which the feed resumes, or that of the snapshot.',
    }),
  })
  .openapi('FeedHello', { description: 'Additive: the first message of every connection.' })

const state = z
  .object({
    type: z.literal('state'),
    state: z.enum(LAUNCHER_STATES),
    role,
    room: z.string().nullable(),
    index,
  })
  .openapi('FeedState')

const profiles = z
  .object({ type: z.literal('profiles'), profiles: z.array(profile).readonly(), index })
  .openapi('FeedProfiles', { description: 'All players; at most four a second within one state.' })

const guests = z
  .object({ type: z.literal('guests'), guests: z.array(guest).readonly(), connections, index })
  .openapi('FeedGuests', {
    description:
      'Additive: of a host, all who wait to be let in, were refused or removed, or have no player; and how the players are connected, whenever one of them differs.',
  })

const status = z
  .object({
    type: z.literal('status'),
    ...statusReportFields,
    index,
  })
  .openapi('FeedStatus', {
    description:
      'Additive: the record of GET /room/status without players and time, whenever it differs; at most four a second within one state.',
  })

const worlds = z.object({ type: z.literal('worlds'), ...gameServers.shape, index }).openapi('FeedWorlds', {
  description:
    'Additive: the worlds on the LAN as GET /game/servers lists them, whenever they differ; at most once a second.',
})

const log = z
  .object({
    type: z.literal('log'),
    level: z.enum(['debug', 'info', 'warn', 'error']),
    message: z.string(),
    timestamp: z.string().openapi({ format: 'date-time' }),
    code: z.string().optional().openapi({
      description:
        'Additive: of entries that a program may act on. `over-share`: `fields.members` ask for more than their share.',
    }),
    fields: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ description: 'Additive: the fields of an entry with a code.' }),
    index,
  })
  .openapi('FeedLog')

/** Every message of `/ws`, by its type. */
export const FEED_MESSAGES = { hello, state, profiles, guests, status, worlds, log } as const

/** The first message of each connection to `/ws`: whether the missed messages follow, or a snapshot. */
export type FeedHello = z.infer<typeof hello>

export const feedMessage = z
  .discriminatedUnion('type', [hello, state, profiles, guests, status, worlds, log])
  .openapi('FeedMessage')

/** A message after the first. `index` rises by one with each; a client resumes after the last one that it received. */
export type FeedMessage = Exclude<z.infer<typeof feedMessage>, FeedHello>
