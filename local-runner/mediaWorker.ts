import { ServiceError } from '@lantern-room/base'
import type { Environment } from '@lantern-room/base/settings'
import { ffmpegNotes, readFfmpegVersion } from '@lantern-room/media'
import { composeMedia } from './compose'
import { deliverCallbacks, openMetrics, workOnQueue } from './mediaHost'

/**
 * Starts a worker: it takes prepares from the queue that hosts and functions share, and serves nothing but its metrics.
 * @throws ConfigError; ServiceError `unavailable`, also where no queue is named
 */
export async function startWorker(env: Environment, host: Parameters<typeof composeMedia>[1]) {
  const media = await composeMedia(env, host)
  const { config, ffmpeg, log } = media
  if (!config.queue) throw new ServiceError('unavailable', NO_QUEUE)
  const draining = new AbortController()
  const metrics = await openMetrics(media, draining.signal)
  if (metrics) log.info('metrics are served', { url: metrics.url })
  deliverCallbacks(media, host.stopping)
  const working = workOnQueue(media, draining.signal)
  return {
    url: config.queue.url,
    does: 'takes prepares from',
    notes: ffmpegNotes(readFfmpegVersion(ffmpeg.version), ffmpeg.path),
    shutdownSeconds: config.shutdownSeconds,
    drain: () => undefined,
    /** Takes no further message; resolves when those that were taken have ended. What is left then is given back to the queue. */
    async close() {
      draining.abort(new ServiceError('unavailable', 'The worker is stopping.'))
      await working
      await metrics?.close()
    },
    cut: () => metrics?.cut(),
  }
}

const NO_QUEUE =
  'A worker takes prepares from a queue, and none is named. Set PREPARE_QUEUE_URL to the URL of a standard SQS queue, as for the hosts that fill it.'
