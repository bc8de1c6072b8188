import { untilAborted } from '@lantern-room/base/async'
import type { Environment } from '@lantern-room/base/settings'
import { atMost, beginLifetime, type Lifetime, type LifetimeOptions } from '../../commandLine/lifetime'
import type { Listening } from '../../listen'
import { composeRoom, type LocalRoom } from '../compose'
import { serveRoom } from '../roomHost'

/** Together less than two seconds. */
const CLOSE_MS = 1200
const END_MS = 500

export type ServiceRun = {
  readonly lifetime: LifetimeOptions
  /** Takes lines of the log; without it they go to standard error. */
  readonly writeLog?: (line: string) => void
  onListening(server: Listening): Promise<void>
  /** Before the server closes. */
  onEnding?(server: Listening): Promise<void>
}

/**
 * The room service in this process until it is ended.
 * @throws ConfigError; ServiceError `unavailable`; what `onListening` throws
 */
export async function runService(env: Environment, run: ServiceRun): Promise<void> {
  const stopping = new AbortController()
  let life: Lifetime | undefined
  const room = await composeRoom(env, {
    stopping: stopping.signal,
    shutDown: () => life?.end(),
    ...(run.writeLog && { writeLog: run.writeLog }),
  })
  const server = await serveRoom(room, room.api.feed.runId).catch(async (error: unknown) => {
    stopping.abort(error)
    await room.closed
    throw error
  })
  life = beginLifetime(run.lifetime)
  try {
    await run.onListening(server)
    await untilAborted(life.signal)
  } finally {
    await run.onEnding?.(server)
    await atMost(CLOSE_MS, server.close())
    server.cut()
    await endRoom(room, stopping)
    life.close()
  }
}

/** Waits for what runs beside the rooms, such as the listener for worlds. */
export async function endRoom({ closed }: LocalRoom, stopping: AbortController): Promise<void> {
  stopping.abort(new Error('the program stops'))
  await atMost(END_MS, closed)
}
