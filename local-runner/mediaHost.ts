import { onAbort } from '#core/async/onAbort'
import type { Environment } from '#core/environment'
import { composeMedia } from './compose'
import { type Listening, listen } from './listen'

const SWEEP_EVERY_MS = 15 * 60_000

/**
 * Starts the media API on its port, and its sweep.
 * @throws ConfigError, ServiceError `unavailable`
 */
export async function startMedia(
  env: Environment,
  host: { readonly stopping: AbortSignal; readonly installsFfmpeg: boolean },
): Promise<Listening> {
  const { app, config, log, sweep } = await composeMedia(env, host)
  const listening = await listen(app, { host: config.host, port: config.port, name: 'MEDIA_PORT' })

  const sweepNow = async () => {
    try {
      const removed = await sweep()
      if (removed.sessions + removed.uploads > 0) log.info('swept', removed)
    } catch (error) {
      log.warn('the sweep failed', { error: String(error) })
    }
  }
  void sweepNow()
  const timer = setInterval(sweepNow, SWEEP_EVERY_MS)
  timer.unref()
  onAbort(host.stopping, () => clearInterval(timer))
  return listening
}
