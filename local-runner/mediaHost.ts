import { randomBytes } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { describeError, ServiceError } from '@lantern-room/base'
import { onAbort } from '@lantern-room/base/async'
import type { OwnPorts } from '@lantern-room/base/network'
import type { Environment } from '@lantern-room/base/settings'
import { ffmpegNotes, readFfmpegVersion } from '@lantern-room/media'
import { renderUnicodeCompact } from 'uqr'
import { composeMedia, isOwnConnection, type LocalMedia, lanAddresses } from './compose'
import { type Listening, listen } from './listen'

const SWEEP_EVERY_MS = 15 * 60_000
const RESUME_EVERY_MS = 30_000
const CALLBACKS_EVERY_MS = 15_000

/**
 * Starts the media API on its port, its metrics where they are wanted, and its sweep.
 * @returns notes for the terminal, too
 * @throws ConfigError, ServiceError `unavailable`
 */
export async function startMedia(
  env: Environment,
  /** `ownPorts` gets the ports of the API and its metrics; `isForPhone` lets in phones of the same network. */
  host: Parameters<typeof composeMedia>[1] & { readonly ownPorts: OwnPorts; readonly isForPhone: boolean },
) {
  const { stopping, installsFfmpeg, isForPhone, ownPorts } = host
  const tokenOfThisStart = isForPhone ? randomBytes(15).toString('base64url') : undefined
  const media = await composeMedia(isForPhone ? openedToPhones(env) : env, {
    stopping,
    installsFfmpeg,
    tokenOfThisStart,
  })
  const draining = new AbortController()
  const metrics = await openMetrics(media, draining.signal)
  const listening = await listenForClients(media, draining.signal).catch(async (error: unknown) => {
    await metrics?.close()
    throw error
  })
  ownPorts.add('tcp', listening.port, 'media')
  if (metrics) {
    ownPorts.add('tcp', metrics.port, 'metrics')
    media.log.info('metrics are served', { url: metrics.url })
  }

  deliverCallbacks(media, stopping)
  void sweepNow(media)
  const timer = setInterval(() => sweepNow(media), SWEEP_EVERY_MS).unref()
  const beginToStop = () =>
    draining.abort(new ServiceError('unavailable', 'The service is stopping. Try again in a moment.'))
  const resuming = setInterval(() => resumeNow(media), RESUME_EVERY_MS).unref()
  onAbort(stopping, () => {
    clearInterval(timer)
    clearInterval(resuming)
  })
  const working = workOnQueue(media, draining.signal)
  const { version, path } = media.ffmpeg
  const notes = tokenOfThisStart === undefined ? [] : phoneNotes(media.config, listening, tokenOfThisStart)
  return {
    ...listening,
    notes: [...ffmpegNotes(readFfmpegVersion(version), path), ...notes],
    shutdownSeconds: media.config.shutdownSeconds,
    drainSeconds: media.config.drainSeconds,
    drain() {
      beginToStop()
      listening.drain()
    },
    async close() {
      beginToStop()
      await Promise.all([listening.close(), media.backgroundIsIdle(), working])
      // It tells until the end what still runs.
      await metrics?.close()
    },
    cut() {
      listening.cut()
      metrics?.cut()
    },
  }
}

/** Looks for callbacks that are due, of this host and of others, at once and as long as it runs. */
export function deliverCallbacks(
  { deliverCallbacks: deliver, log }: LocalMedia,
  stopping: AbortSignal,
): void {
  if (!deliver) return
  const deliverNow = () =>
    deliver(stopping).catch((error: unknown) =>
      log.warn('callbacks were not tried', { cause: describeError(error) }),
    )
  void deliverNow()
  const timer = setInterval(deliverNow, CALLBACKS_EVERY_MS).unref()
  onAbort(stopping, () => clearInterval(timer))
}

/** Takes prepares from the queue, where there is one, until `draining` aborts. @returns resolves when those that were taken have ended */
export async function workOnQueue({ queueWorker, config }: LocalMedia, draining: AbortSignal): Promise<void> {
  await queueWorker?.work(config.queue?.jobs ?? config.limits.maxConcurrentJobs, draining)
}

async function sweepNow({ log, sweep, figures }: LocalMedia): Promise<void> {
  try {
    const removed = await sweep()
    if (!removed) figures.countSkippedSweep()
    else if (removed.sessions + removed.uploads > 0) log.info('swept', removed)
  } catch (error) {
    log.warn('the sweep failed', { cause: describeError(error) })
  }
}

async function resumeNow({ log, resume }: LocalMedia): Promise<void> {
  await resume().catch((error: unknown) =>
    log.warn('abandoned work was not looked for', { cause: describeError(error) }),
  )
}

const EVERY_ADDRESS = '0.0.0.0'

/** The settings where phones are let in: unless they say otherwise, at every address. */
function openedToPhones(env: Environment): Environment {
  return { ...env, MEDIA_HOST: env.MEDIA_HOST || EVERY_ADDRESS }
}

/**
 * Where the studio is for phones, and the first of these addresses as a QR code.
 * @param token of this start: what is on a screen, or in a photo of it, is worth nothing after the program has ended
 */
function phoneNotes(
  { host }: LocalMedia['config'],
  { url, port }: Listening,
  token: string,
): readonly string[] {
  const all = lanAddresses().filter((address) => isIPv4(address))
  const urls =
    host === EVERY_ADDRESS && all.length > 0 ? all.map((address) => `http://${address}:${port}`) : [url]
  const links = urls.map((one) => `${one}/#token=${encodeURIComponent(token)}`)
  return ['For this computer and phones in its network:', ...links, renderUnicodeCompact(links[0] ?? url)]
}

/** @param draining aborted when proxies are to send requests elsewhere: then `/health` is 503, with or without a token */
function listenForClients({ app, config, figures }: LocalMedia, draining: AbortSignal): Promise<Listening> {
  const { host, port } = config
  const counted: typeof app = async (request, seen) => {
    if (draining.aborted && new URL(request.url).pathname === '/health') draining.throwIfAborted()
    const response = await app(request, seen)
    figures.countResponse(response.status)
    return response
  }
  return listen(counted, { host, port, name: 'MEDIA_PORT' }, { isOwnConnection })
}

/** Counters for Prometheus at `/metrics`, and `/health` for a monitor, without a token: by default on this machine only. */
export async function openMetrics(media: LocalMedia, draining: AbortSignal): Promise<Listening | undefined> {
  const { config, figures, countJobs, readiness, storeClock, queueWorker } = media
  const { metricsHost, metricsPort } = config
  if (metricsPort === undefined) return undefined
  const answer = async (request: Request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/health') {
      draining.throwIfAborted()
      await readiness.check()
      return Response.json({ status: 'ok', clock: storeClock.warning() })
    }
    if (pathname !== '/metrics') return new Response('There are /metrics and /health.\n', { status: 404 })
    return new Response(figures.render(countJobs(), storeClock.aheadMs(), queueWorker?.figures), {
      headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    })
  }
  return listen(answer, { host: metricsHost, port: metricsPort, name: 'MEDIA_METRICS_PORT' })
}
