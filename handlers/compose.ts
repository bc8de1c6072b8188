import { setMaxListeners } from 'node:events'
import { join, resolve } from 'node:path'
import type { Context } from 'aws-lambda'
import { defaultDataFolder } from '../core/adapters/dataFolder'
import { createDiskObjectStore } from '../core/adapters/diskObjectStore'
import { createEmfMetrics } from '../core/adapters/emfMetrics'
import { createFfmpeg } from '../core/adapters/ffmpeg'
import { locateFfmpeg } from '../core/adapters/ffmpegLocation'
import { createPowertoolsLog, type PowertoolsLog } from '../core/adapters/powertoolsLog'
import { receiveBody } from '../core/adapters/receiveBody'
import { receiveForm } from '../core/adapters/receiveForm'
import { createS3ObjectStore } from '../core/adapters/s3ObjectStore'
import { createSharpWebp } from '../core/adapters/sharpWebp'
import { createWorkFolders } from '../core/adapters/workFolders'
import { version } from '../core/build'
import { readMediaConfig } from '../core/media/config'
import { createMediaApi, type MediaApi } from '../core/media/mediaApi'
import { readHandlerConfig } from './host/config'
import { type HttpHandler, httpHandler } from './host/httpHandler'
import { lazyFfmpeg } from './host/lazyFfmpeg'

const handlers = readHandlerConfig(process.env)
const composed = compose(process.env)
// Whoever waits for it hears of the failure; until then it is nobody's unhandled one.
composed.catch(() => undefined)

type Composed = { readonly api: MediaApi; readonly log: PowertoolsLog }

/** The same app for every endpoint, as a Lambda handler. Events of REST API, HTTP API and Function URL are understood. */
export function mediaHandler(): HttpHandler {
  return httpHandler({
    config: handlers,
    service: composed.then(({ api, log }) => ({ app: api.app, log })),
    startLog: () => createPowertoolsLog({ level: 'error' }),
    runtime: globalThis.awslambda,
  })
}

/** The sweep, for an event that comes by the clock. What it rejects with makes the invocation fail, and the alarm ring. */
export function sweepHandler() {
  return async (_event: unknown, context: Context): Promise<void> => {
    const { api, log } = await composed
    log.begin(context, undefined)
    const startedAt = Date.now()
    const removed = await api.sweep()
    log.info('swept', { ...removed, took_ms: Date.now() - startedAt })
  }
}

async function compose(env: NodeJS.ProcessEnv): Promise<Composed> {
  const config = readMediaConfig(env)
  const log = createPowertoolsLog({ level: config.logLevel })
  const dataFolder = resolve(config.dataDir ?? defaultDataFolder(env))
  const machine = {
    store: config.s3
      ? createS3ObjectStore({ ...config.s3, folder: join(dataFolder, 'checked-out') })
      : createDiskObjectStore({ folder: join(dataFolder, 'store') }),
    workFolders: createWorkFolders({ folder: join(dataFolder, 'work') }),
    ffmpeg: lazyFfmpeg(async () => createFfmpeg(await locateFfmpeg({ configured: [config.ffmpegPath] }))),
    webp: createSharpWebp(),
    ...{ receiveForm, receiveBody, log, now: Date.now },
    ...(!handlers.isOffline && { metrics: createEmfMetrics() }),
    stopping: neverStopping(),
  }
  return { api: createMediaApi(config, machine, version), log }
}

/** A function is never asked to stop: it ends with its request. */
function neverStopping(): AbortSignal {
  const { signal } = new AbortController()
  // Every job that waits listens to it, and fifty thumbnails may wait: that is no leak.
  setMaxListeners(0, signal)
  return signal
}
