import { join, resolve } from 'node:path'
import { Hono } from 'hono'
import { handle, type LambdaContext, type LambdaEvent } from 'hono/aws-lambda'
import { defaultDataFolder } from '../core/adapters/dataFolder'
import { createDiskObjectStore } from '../core/adapters/diskObjectStore'
import { createFfmpeg } from '../core/adapters/ffmpeg'
import { locateFfmpeg } from '../core/adapters/ffmpegLocation'
import { createPowertoolsLog } from '../core/adapters/powertoolsLog'
import { receiveForm } from '../core/adapters/receiveForm'
import { createSharpWebp } from '../core/adapters/sharpWebp'
import { createWorkFolders } from '../core/adapters/workFolders'
import { version } from '../core/build'
import { ServiceError } from '../core/errors'
import type { App } from '../core/media/app'
import { readMediaConfig } from '../core/media/config'
import { createMediaApi } from '../core/media/mediaApi'

/** What is left of a function's time when running work is ended, so that an answer can still be sent. */
const ANSWER_MS = 1500

const config = readMediaConfig(offlineDefaults(process.env))
const log = createPowertoolsLog({ level: config.logLevel })
const composed = compose()
// Whoever waits for it hears of the failure; until then it is nobody's unhandled one.
composed.catch(() => undefined)

/** The same app for every endpoint, as a Lambda handler. Events of REST API, HTTP API and Function URL are understood. */
export function mediaHandler() {
  const host = new Hono<{ Bindings: { lambdaContext?: LambdaContext } }>()
  host.all('*', async (context) => {
    const app = await composed
    return withDeadline(app, context.req.raw, context.env?.lambdaContext)
  })
  host.onError((error, context) => {
    log.error('the function cannot start', { error: error.stack })
    const detail = error instanceof ServiceError ? error.detail : 'The service cannot start.'
    return context.json({ detail, code: 'unavailable' }, 503)
  })
  // Never let the content type decide what is binary: bytes go out as they came in.
  const answer = handle(host, { isContentTypeBinary: () => true })
  return (event: LambdaEvent, lambdaContext: LambdaContext) => {
    log.addContext(lambdaContext)
    return answer(event, lambdaContext)
  }
}

async function compose(): Promise<App> {
  const dataFolder = resolve(config.dataDir ?? defaultDataFolder(process.env))
  const { path } = await locateFfmpeg({ configured: [config.ffmpegPath] })
  const machine = {
    store: createDiskObjectStore({ folder: join(dataFolder, 'store') }),
    workFolders: createWorkFolders({ folder: join(dataFolder, 'work') }),
    ffmpeg: createFfmpeg({ path }),
    webp: createSharpWebp(),
    ...{ receiveForm, log, now: Date.now },
    // A function is never asked to stop: it ends with its request.
    stopping: new AbortController().signal,
  }
  return createMediaApi(config, machine, version).app
}

async function withDeadline(
  app: App,
  request: Request,
  context: LambdaContext | undefined,
): Promise<Response> {
  const remainingMs = context?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY
  if (!Number.isFinite(remainingMs)) return app(request)
  const deadline = new AbortController()
  const reason = new ServiceError(
    'timeout',
    'It took longer than this function may run. Send a shorter video.',
  )
  const timer = setTimeout(() => deadline.abort(reason), Math.max(0, remainingMs - ANSWER_MS))
  try {
    return await app(new Request(request, { signal: deadline.signal }))
  } finally {
    clearTimeout(timer)
  }
}

/** On a developer's machine the event names a domain that does not exist; the port that is served does. */
function offlineDefaults(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (env.IS_OFFLINE === undefined || env.PUBLIC_BASE_URL) return env
  return { ...env, PUBLIC_BASE_URL: `http://${env.MEDIA_HOST || '127.0.0.1'}:${env.MEDIA_PORT || '8000'}` }
}
