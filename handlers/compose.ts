import { setMaxListeners } from 'node:events'
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

const composed = compose(process.env)
// Whoever waits for it hears of the failure; until then it is nobody's unhandled one.
composed.catch(() => undefined)

type Composed = { readonly app: App; readonly log: ReturnType<typeof createPowertoolsLog> }

/** The same app for every endpoint, as a Lambda handler. Events of REST API, HTTP API and Function URL are understood. */
export function mediaHandler() {
  const host = new Hono<{ Bindings: { lambdaContext?: LambdaContext } }>()
  host.all('*', async (context) => {
    const { app, log } = await composed
    const { lambdaContext } = context.env
    if (lambdaContext) log.addContext(lambdaContext)
    return withDeadline(app, asSent(context.req.raw), lambdaContext)
  })
  host.onError((error, context) => {
    createPowertoolsLog({ level: 'error' }).error('the function cannot start', { error: error.stack })
    return context.json({ detail: 'The service cannot start. Tell the operator.', code: 'unavailable' }, 503)
  })
  // Never let the content type decide what is binary: bytes go out as they came in.
  const answer = handle(host, { isContentTypeBinary: () => true })
  return (event: LambdaEvent, lambdaContext: LambdaContext) => answer(event, lambdaContext)
}

async function compose(env: NodeJS.ProcessEnv): Promise<Composed> {
  const config = readMediaConfig(env)
  const log = createPowertoolsLog({ level: config.logLevel })
  const dataFolder = resolve(config.dataDir ?? defaultDataFolder(env))
  const { path } = await locateFfmpeg({ configured: [config.ffmpegPath] })
  const machine = {
    store: createDiskObjectStore({ folder: join(dataFolder, 'store') }),
    workFolders: createWorkFolders({ folder: join(dataFolder, 'work') }),
    ffmpeg: createFfmpeg({ path }),
    webp: createSharpWebp(),
    ...{ receiveForm, log, now: Date.now },
    stopping: neverStopping(),
  }
  return { app: createMediaApi(config, machine, version).app, log }
}

/** A function is never asked to stop: it ends with its request. */
function neverStopping(): AbortSignal {
  const { signal } = new AbortController()
  // Every job that waits listens to it, and fifty thumbnails may wait: that is no leak.
  setMaxListeners(0, signal)
  return signal
}

/**
 * The request with the address that the client used. On a developer's machine the event names a domain that does not
 * exist, and https; the header `Host` is right.
 */
function asSent(request: Request): Request {
  const host = request.headers.get('Host')
  if (process.env.IS_OFFLINE === undefined || host === null) return request
  const { pathname, search } = new URL(request.url)
  return new Request(`http://${host}${pathname}${search}`, request)
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
