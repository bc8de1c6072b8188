import { setMaxListeners } from 'node:events'
import { join, resolve } from 'node:path'
import type { Context } from 'aws-lambda'
import { createFfmpeg } from '../core/adapters/ffmpeg/ffmpeg'
import { locateFfmpeg } from '../core/adapters/ffmpeg/ffmpegLocation'
import { createSharpWebp } from '../core/adapters/ffmpeg/sharpWebp'
import { createWorkFolders } from '../core/adapters/files/workFolders'
import { receiveBody } from '../core/adapters/forms/receiveBody'
import { receiveForm } from '../core/adapters/forms/receiveForm'
import { createDiskObjectStore } from '../core/adapters/objectStore/diskObjectStore'
import { createS3ObjectStore } from '../core/adapters/objectStore/s3ObjectStore'
import { defaultDataFolder } from '../core/adapters/system/dataFolder'
import { createEmfMetrics } from '../core/adapters/system/emfMetrics'
import { createPowertoolsLog, type PowertoolsLog } from '../core/adapters/system/powertoolsLog'
import { version } from '../core/build'
import { ServiceError } from '../core/errors'
import { type MediaConfig, readMediaConfig } from '../core/media/config'
import { createMediaApi, type MediaApi, type MediaMachine } from '../core/media/mediaApi'
import type { Ffmpeg } from '../core/media/ports'
import { type MediaTools, motionPhotoTool, preparingTool, thumbnailTool } from '../core/media/tools'
import { readHandlerConfig } from './host/config'
import { type HttpHandler, httpHandler } from './host/httpHandler'
import { lazyFfmpeg } from './host/lazyFfmpeg'

const handlers = readHandlerConfig(process.env)

type Composed = { readonly api: MediaApi; readonly log: PowertoolsLog }

/** What only some functions do. A function that does not has nothing of it in its bundle. */
type Skills = Partial<
  Pick<MediaMachine, 'ffmpeg' | 'receiveForm' | 'metrics'> &
    Pick<MediaTools, 'preparing'> &
    MediaTools['converting']
>

/** For what asks the store alone. */
export function storeHandler(): HttpHandler {
  return mediaHandler(() => ({}))
}

/** For what asks whether ffmpeg is there, too. */
export function healthHandler(): HttpHandler {
  return mediaHandler((config) => ({ ffmpeg: findFfmpeg(config) }))
}

export function prepareHandler(): HttpHandler {
  return mediaHandler((config) => {
    const machine = { ffmpeg: findFfmpeg(config), webp: createSharpWebp() }
    return { ...measured(), receiveForm, preparing: preparingTool(config, machine) }
  })
}

export function convertHandler(): HttpHandler {
  return mediaHandler((config) => {
    const machine = { ffmpeg: findFfmpeg(config), webp: createSharpWebp() }
    return { ...measured(), motionPhoto: motionPhotoTool(config, machine, version) }
  })
}

export function thumbnailHandler(): HttpHandler {
  return mediaHandler((config) => ({ thumbnail: thumbnailTool(config, { ffmpeg: findFfmpeg(config) }) }))
}

/** The sweep, for an event that comes by the clock. What it rejects with makes the invocation fail, and the alarm ring. */
export function sweepHandler() {
  const composed = started(compose(process.env, () => ({})))
  return async (_event: unknown, context: Context): Promise<void> => {
    const { api, log } = await composed
    log.begin(context, undefined)
    const startedAt = Date.now()
    const removed = await api.sweep()
    log.info('swept', { ...removed, took_ms: Date.now() - startedAt })
  }
}

/** The same app for every endpoint, as a Lambda handler. Events of REST API, HTTP API and Function URL are understood. */
function mediaHandler(learn: (config: MediaConfig) => Skills): HttpHandler {
  const composed = compose(process.env, learn)
  return httpHandler({
    config: handlers,
    service: started(composed.then(({ api, log }) => ({ app: api.app, log }))),
    startLog: () => createPowertoolsLog({ level: 'error' }),
    runtime: globalThis.awslambda,
  })
}

async function compose(env: NodeJS.ProcessEnv, learn: (config: MediaConfig) => Skills): Promise<Composed> {
  const config = readMediaConfig(env)
  const log = createPowertoolsLog({ level: config.logLevel })
  const dataFolder = resolve(config.dataDir ?? defaultDataFolder(env))
  const { preparing = elsewhere, motionPhoto = elsewhere, thumbnail = elsewhere, ...learnt } = learn(config)
  const machine = {
    store: config.s3
      ? createS3ObjectStore({ ...config.s3, folder: join(dataFolder, 'checked-out') })
      : createDiskObjectStore({ folder: join(dataFolder, 'store') }),
    workFolders: createWorkFolders({ folder: join(dataFolder, 'work') }),
    ffmpeg: { run: elsewhere, version: elsewhere },
    receiveForm: elsewhere,
    receiveBody,
    log,
    now: Date.now,
    stopping: neverStopping(),
    ...learnt,
  }
  const tools = { preparing, converting: { motionPhoto, thumbnail } }
  return { api: createMediaApi(config, machine, tools, version), log }
}

/** Whoever waits for it hears of a failure; until then it is nobody's unhandled one. */
function started<T>(composed: Promise<T>): Promise<T> {
  composed.catch(() => undefined)
  return composed
}

/** Which function a request goes to is the gateway's to say: this is its mistake. */
async function elsewhere(): Promise<never> {
  throw new ServiceError('internal', 'This function does something else. Tell the operator.')
}

function findFfmpeg({ ffmpegPath }: MediaConfig): Ffmpeg {
  return lazyFfmpeg(async () => createFfmpeg(await locateFfmpeg({ configured: [ffmpegPath] })))
}

function measured(): Pick<Skills, 'metrics'> {
  return handlers.isOffline ? {} : { metrics: createEmfMetrics() }
}

/** A function is never asked to stop: it ends with its request. */
function neverStopping(): AbortSignal {
  const { signal } = new AbortController()
  // Every job that waits listens to it, and fifty thumbnails may wait: that is no leak.
  setMaxListeners(0, signal)
  return signal
}
