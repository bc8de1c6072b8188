import { join, resolve } from 'node:path'
import { createWorkFolders } from '@lantern-room/adapters/files'
import { createDiskObjectStore } from '@lantern-room/adapters/objectStore/disk'
import { createS3ObjectStore } from '@lantern-room/adapters/objectStore/s3'
import {
  createEmfMetrics,
  createPowertoolsLog,
  createSystemClock,
  defaultDataFolder,
} from '@lantern-room/adapters/system'
import { version } from '@lantern-room/base'
import { handled } from '@lantern-room/base/async'
import { removedSettings } from '@lantern-room/base/settings'
import {
  createMediaApp,
  createStoreClock,
  logMetrics,
  readMediaConfig,
  requireConditionalWrites,
} from '@lantern-room/media'
import { type MediaRoute, Sessions } from '@lantern-room/media/functions'

import type { ObjectStore } from '@lantern-room/media/ports'
import type { Context } from 'aws-lambda'
import { readHandlerConfig } from './host/config'
import { createDeadlines, type HttpHandler, httpHandler } from './host/httpHandler'
import { redirectLarge } from './host/largeAnswers'

/** Dependencies of every function. Those that only some need (ffmpeg, forms, metrics) are composed in their own files. */
export type FunctionDependencies = Awaited<typeof composed>

const handlerConfig = readHandlerConfig(process.env)

/** Offline on a developer's machine, by serverless-offline. */
const { isOffline } = handlerConfig
export const { maxResponseBytes } = handlerConfig

/** Once for all handlers of a file. */
const composed = handled(compose(process.env))

/** Of the stack's queue, where it has one. */
export const queueUrl = process.env.PREPARE_QUEUE_URL

/**
 * A Lambda function that serves a part of the media API. Events of REST API, HTTP API and Function URL are understood.
 * @param routesOf composes the routes of this function
 */
export function mediaHandler(
  routesOf: (dependencies: FunctionDependencies) => readonly MediaRoute[],
): HttpHandler {
  const service = composed.then((dependencies) => ({
    app: createMediaApp(dependencies, routesOf(dependencies)),
    log: dependencies.log,
    redirectLarge: redirectLarge(dependencies.store, dependencies.workFolders, maxResponseBytes),
  }))
  return httpHandler({
    config: handlerConfig,
    service: handled(service),
    startLog: () => createPowertoolsLog({ level: 'error' }),
    runtime: globalThis.awslambda,
  })
}

/**
 * A Lambda function that a schedule or a queue invokes. A rejection makes the invocation fail, which raises the alarm, and a queue
 * keeps its message.
 * @param work gets a signal that aborts shortly before the time of the function is over
 * @returns the handler; `work` resolves with fields for the log
 */
export function eventHandler<E>(
  message: string,
  work: (shared: FunctionDependencies, event: E, signal: AbortSignal) => Promise<Record<string, unknown>>,
) {
  return async (event: E, context: Context): Promise<void> => {
    const dependencies = await composed
    const { log, clock } = dependencies
    log.begin(context, undefined)
    const startedAt = clock.now()
    const deadlines = createDeadlines(context)
    const fields = await work(dependencies, event, deadlines.work).finally(deadlines.clear)
    log.info(message, { ...fields, took_ms: Math.round(clock.now() - startedAt) })
  }
}

async function compose(env: NodeJS.ProcessEnv) {
  const config = readMediaConfig(env)
  const dataFolder = resolve(config.dataDir ?? defaultDataFolder(env))
  const log = createPowertoolsLog({ level: config.logLevel })
  for (const sentence of removedSettings(env)) log.warn(sentence)
  const store: ObjectStore = config.s3
    ? createS3ObjectStore({ ...config.s3, folder: join(dataFolder, 'checked-out') })
    : createDiskObjectStore({ folder: join(dataFolder, 'store') })
  const storeClock = createStoreClock({ store, clock: createSystemClock(), log })
  const { unixTime: now, mayRemove } = storeClock
  // A deployed function has the bucket of its stack, which knows conditions; a developer's may be any.
  if (isOffline) await requireConditionalWrites(storeClock, config.s3, store)
  return {
    config,
    limits: config.limits,
    previewSize: config.previewSize,
    version,
    log,
    metrics: isOffline ? logMetrics(log) : createEmfMetrics(env.STAGE),
    // Measured only by the sweep: Lambda keeps the clocks of its functions right.
    storeClock,
    clock: storeClock,
    now,
    store,
    sessions: new Sessions({ store, ttlSeconds: config.sessionTtlSeconds, now, mayRemove, log }),
    workFolders: createWorkFolders({ folder: join(dataFolder, 'work') }),
    // A function is never asked to stop: it ends with its request.
    stopping: new AbortController().signal,
  }
}
