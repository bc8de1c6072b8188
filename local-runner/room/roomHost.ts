import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Environment } from '#core/environment'
import { ServiceError } from '#core/errors'
import { type Listening, listen } from '../listen'
import { composeRoom, type LocalRoom } from './compose'
import { createWebSocketFeed } from './webSocketFeed'

/** When the port is in use, this many following ports are tried, and then any free one. */
const NEXT_PORTS = 100

/** @throws ConfigError, ServiceError `unavailable` */
export async function startRoom(
  env: Environment,
  host: { readonly stopping: AbortSignal; readonly shutDown: () => void },
): Promise<Listening> {
  return serveRoom(await composeRoom(env, host))
}

/**
 * Serves the room service on loopback.
 * @returns a server whose `close` stops the room first: its sockets are gone when it resolves
 * @throws ServiceError `unavailable` when no port can be used
 */
export async function serveRoom({ api, config }: LocalRoom): Promise<Listening> {
  const feed = createWebSocketFeed({ feed: api.feed, roomState: api.roomState, config })
  const listening = await listen(
    api.app,
    { host: '127.0.0.1', port: config.port, name: 'ROOM_PORT', fallback: NEXT_PORTS },
    { errorBody: ({ detail, code }) => ({ error: detail, code }), onUpgrade: feed.onUpgrade },
  )
  api.log.info('the room service listens', { url: listening.url })
  return {
    ...listening,
    async close() {
      feed.close()
      await Promise.all([listening.close(), api.service.stop()])
    },
  }
}

/**
 * Writes atomically where the service listens, for a launcher that waits for the file.
 * @throws ServiceError `unavailable`
 */
export async function writePortFile(path: string, { url, port }: Listening): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    await writeFile(temporary, `${listeningLine({ url, port })}\n`)
    await rename(temporary, path)
  } catch (cause) {
    throw new ServiceError('unavailable', `The port file ${path} cannot be written.`, { cause })
  }
}

/** Removes the file, unless another instance has written its own there. */
export async function removePortFile(path: string, listening: Listening): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === `${listeningLine(listening)}\n`) await rm(path, { force: true })
}

/** The line on standard output that tells launchers where the service listens. */
export function listeningLine({ url, port }: Pick<Listening, 'url' | 'port'>): string {
  return JSON.stringify({ event: 'listening', url, port, pid: process.pid })
}
