import { setFlagsFromString } from 'node:v8'
import type { Environment } from '#core/environment'
import type { OwnPorts } from '#core/ownPorts'
import { type Listening, listen } from '../listen'
import { composeRoom, type LocalRoom } from './compose'
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

/** @throws ConfigError, ServiceError `unavailable` */
export async function startRoom(
  env: Environment,
  host: { readonly stopping: AbortSignal; readonly shutDown: () => void; readonly ownPorts: OwnPorts },
): Promise<Listening> {
  setFlagsFromString(HEAP_GROWTH)
  const room = await composeRoom(env, host)
  const { dataFolder, config } = room
  const listening = await serveRoom(room)
  await recordInstance(dataFolder, listening, { token: config.token }).catch(async (error: unknown) => {
    await listening.close()
    throw error
  })
  return {
    ...listening,
    async close() {
      await forgetInstance(dataFolder)
      await listening.close()
    },
  }
}

/**
 * Serves the room service on loopback.
 * @returns a server whose `close` stops the room first: its sockets are gone when it resolves
 * @throws ServiceError `unavailable` when no port can be used
 */
export async function serveRoom({ api, config }: Pick<LocalRoom, 'api' | 'config'>): Promise<Listening> {
  const feed = createWebSocketFeed({ feed: api.feed, roomState: api.roomState, config })
  const listening = await listen(
    api.app,
    { host: '127.0.0.1', port: config.port, name: 'ROOM_PORT', fallback: NEXT_PORTS },
    {
      errorBody: ({ detail, code }) => ({ error: detail, code }),
      onUpgrade: feed.onUpgrade,
      requestMs: REQUEST_MS,
    },
  )
  api.ownPorts.add('tcp', listening.port, 'api')
  api.log.info('the room service listens', { url: listening.url })
  if (await api.resume()) api.log.info('the room of the last run is opened again')
  return {
    ...listening,
    async close() {
      feed.close()
      // They would hold up the end by seconds.
      api.endChecks()
      await Promise.all([listening.close(), api.service.close()])
    },
  }
}
