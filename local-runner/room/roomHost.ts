import { setFlagsFromString } from 'node:v8'
import { createTokenBuckets } from '@lantern-room/base/limits'
import type { OwnPorts } from '@lantern-room/base/network'
import type { Environment } from '@lantern-room/base/settings'
import { type Listening, listen } from '../listen'
import { composeRoom, isOwnConnection, type LocalRoom } from './compose'
import { forgetInstance, recordInstance } from './instance'
import { createWebSocketFeed } from './webSocketFeed'

/**
 * V8 lets its heap grow to four times of what is in use before it looks for what is not, and members make what is not as fast as they
 * like. This looks after 30 % more.
 */
const HEAP_GROWTH = '--heap-growing-percent=30'

/** Requests have 64 KiB at most and come from this machine. */
const REQUEST_MS = 20_000

/** When the port is in use, this many following ports are tried, and then any free one. */
const NEXT_PORTS = 100

/** Somebody else may lead this program here again and again. */
const LOGGED = { perSecond: 1 / 60, burst: 1 }

/** @throws ConfigError, ServiceError `unavailable` */
export async function startRoom(
  env: Environment,
  host: { readonly stopping: AbortSignal; readonly shutDown: () => void; readonly ownPorts: OwnPorts },
): Promise<Listening> {
  setFlagsFromString(HEAP_GROWTH)
  return serveRoom(await composeRoom(env, host))
}

/**
 * Serves the room service on loopback, and records where, for later starts with the same data folder.
 * @param runId of a process that runs nothing but this service, and may therefore be replaced
 * @returns a server whose `close` stops the room first: its sockets are gone when it resolves
 * @throws ServiceError `unavailable` when no port can be used, or the record cannot be written
 */
export async function serveRoom(
  { api, config, dataFolder }: Pick<LocalRoom, 'api' | 'config' | 'dataFolder'>,
  runId?: string,
): Promise<Listening> {
  const refused = createTokenBuckets(api.clock, LOGGED)
  const onOwnRequest = () => {
    if (!refused.take('own')) return
    api.log.warn(
      'a list, an invitation or a member has led this program to its own room service: it was refused',
    )
  }
  const feed = createWebSocketFeed({ feed: api.feed, roomState: api.roomState, config })
  const listening = await listen(
    api.app,
    { host: '127.0.0.1', port: config.port, name: 'ROOM_PORT', fallback: NEXT_PORTS },
    {
      errorBody: ({ detail, code }) => ({ error: detail, code }),
      onUpgrade: feed.onUpgrade,
      isOwnConnection,
      onOwnRequest,
      requestMs: REQUEST_MS,
    },
  )
  api.ownPorts.add('tcp', listening.port, 'api')
  api.log.info('the room service listens', { url: listening.url })
  if (await api.resume()) api.log.info('the room of the last run is opened again')
  const close = async () => {
    // First, so that no launcher finds a service that is about to stop.
    await forgetInstance(dataFolder)
    feed.close()
    // They would hold up the end by seconds.
    api.endChecks()
    await Promise.all([listening.close(), api.service.close()])
  }
  await recordInstance(dataFolder, listening, { token: config.token, runId }).catch(
    async (error: unknown) => {
      await close()
      throw error
    },
  )
  return { ...listening, close }
}
