import type { Log } from '@lantern-room/base'
import type { WebPage } from '@lantern-room/base/http'
import { Turns } from '@lantern-room/clients'
import { convertRoute, motionPhotoRoute } from './api/convert'
import type { MediaRoute } from './api/mediaRoute'
import { stripRoute } from './api/pictures'
import { type CreateSession, prepareRoute } from './api/prepare'
import { previewRoute } from './api/preview'
import { photoGroup, thumbnailGroup, uploadGroup } from './api/routeGroups'
import { documentRoute, healthRoute, pageRoute, servicePage } from './api/service'
import { cleanupRoute, sessionRoute } from './api/sessions'
import { createCallbacks, hasCallbacks, haveTurns, quotasOf } from './clientParts'
import type { MediaConfig } from './config'
import { JobQueue } from './jobs/jobQueue'
import type { MediaParts } from './parts'
import { createConverter } from './photo/make/convertForm'
import { createMotionPhoto } from './photo/make/createMotionPhoto'
import type { PostText, QueueMessage, SendMessage } from './ports'
import { createSession } from './preview/createSession'
import { createSessionThumbnails } from './preview/frames/sessionThumbnails'
import { enqueuing, resumeByQueue, takeMessage } from './queue/prepareMessage'
import { createReadiness } from './readiness'
import { previewLinks } from './sessions/previewLinks'
import { createStorageQuota } from './sessions/storageQuota'
import { Uploads } from './uploads/uploads'

export { MAX_DELIVERIES } from './queue/prepareMessage'
export { Sessions } from './sessions/sessions'
export { ANSWERS_PREFIX, sweepStore } from './sweep'
export type { MediaRoute }

/*
 * The routes of one function each, for hosts that serve the API in several: a bundler takes along only what the routes need.
 * `createMediaApi` serves all of them at once.
 */

/** What every function is composed of. */
export type FunctionParts = Pick<
  MediaParts,
  | 'store'
  | 'sessions'
  | 'workFolders'
  | 'metrics'
  | 'clock'
  | 'limits'
  | 'previewSize'
  | 'version'
  | 'stopping'
> & { readonly config: MediaConfig; readonly log: Log }

type Encoding = Pick<MediaParts, 'ffmpeg' | 'webp' | 'receiveForm'>
type Preparing = Encoding & Pick<MediaParts, 'openFile' | 'processors'>

/**
 * HEAD and GET /health.
 * @example healthRoutes(parts, ffmpeg)
 */
export function healthRoutes(
  { store, workFolders, clock }: FunctionParts,
  ffmpeg: MediaParts['ffmpeg'],
): readonly MediaRoute[] {
  return [healthRoute(createReadiness({ store, workFolders, clock, ffmpeg }))]
}

/**
 * GET / and GET /openapi.json.
 * @param page served at GET /. @default one that names the service
 * @example documentRoutes('1.0.0')
 */
export function documentRoutes(version: string, page: WebPage = servicePage(version)): readonly MediaRoute[] {
  return [pageRoute(page), documentRoute(version)]
}

/**
 * GET and HEAD /preview/{session_id}.mp4.
 * @param maxBytes of an answer, beyond which clients are sent to the store
 * @example previewRoutes(parts, 6_000_000)
 */
export function previewRoutes(
  { sessions, store, config }: FunctionParts,
  maxBytes: number,
): readonly MediaRoute[] {
  return [previewRoute(sessions, previewLinks(store, config, maxBytes))]
}

/**
 * GET and HEAD /sessions/{session_id} and its strip.jpg.
 * @example sessionRoutes(parts)
 */
export function sessionRoutes({ sessions }: FunctionParts): readonly MediaRoute[] {
  return [sessionRoute(sessions), stripRoute(sessions)]
}

/**
 * POST /cleanup.
 * @example cleanupRoutes(parts)
 */
export function cleanupRoutes({ sessions, store, log }: FunctionParts): readonly MediaRoute[] {
  return [cleanupRoute(sessions, store, log)]
}

/**
 * POST /thumbnail, and GET and HEAD /sessions/{session_id}/frames/{n}.jpg.
 * @example thumbnailRoutes(parts, ffmpeg)
 */
export function thumbnailRoutes(
  { sessions, limits, clock, stopping }: FunctionParts,
  ffmpeg: MediaParts['ffmpeg'],
): readonly MediaRoute[] {
  const jobs = new JobQueue(limits.maxConcurrentJobs, clock)
  return thumbnailGroup(createSessionThumbnails({ sessions, limits, stopping, ffmpeg, jobs }))
}

/**
 * POST /uploads, and PUT, GET and DELETE /uploads/{upload_id}.
 * @param send where there is a queue, which is told of uploads whose worker has ended
 * @example uploadRoutes(parts, receiveBody, undefined)
 */
export function uploadRoutes(
  shared: FunctionParts,
  receiveBody: MediaParts['receiveBody'],
  send: SendMessage | undefined,
): readonly MediaRoute[] {
  const { store, sessions, clock, log, limits, workFolders, stopping } = shared
  const uploads = uploadsOf(shared)
  const quota = quotaOf(shared)
  const quotas = quotasOf(shared)
  return uploadGroup(
    { store, sessions, clock, limits, workFolders, stopping, uploads, quota, quotas, receiveBody },
    log,
    send && resumeByQueue({ store, clock, log, send }),
  )
}

/**
 * POST /inspect, POST /extract and POST /repair.
 * @example photoRoutes(parts, { ffmpeg, receiveForm, openFile })
 */
export function photoRoutes(
  shared: FunctionParts,
  { ffmpeg, receiveForm, openFile }: Pick<MediaParts, 'ffmpeg' | 'receiveForm' | 'openFile'>,
): readonly MediaRoute[] {
  const { store, limits, clock, workFolders, stopping } = shared
  return photoGroup({
    store,
    limits,
    workFolders,
    stopping,
    uploads: uploadsOf(shared),
    quota: quotaOf(shared),
    jobs: new JobQueue(limits.maxConcurrentJobs, clock),
    ffmpeg,
    receiveForm,
    openFile,
  })
}

/**
 * POST /convert.
 * @example convertRoutes(parts, { ffmpeg, webp, receiveForm })
 */
export function convertRoutes(shared: FunctionParts, tools: Encoding): readonly MediaRoute[] {
  const { sessions, workFolders, metrics, clock, limits, version, stopping } = shared
  const { ffmpeg, webp, receiveForm } = tools
  const jobs = new JobQueue(limits.maxConcurrentJobs, clock)
  return [
    convertRoute(
      createConverter({
        sessions,
        workFolders,
        metrics,
        clock,
        limits,
        version,
        stopping,
        jobs,
        quotas: quotasOf(shared),
        ffmpeg,
        webp,
        receiveForm,
      }),
    ),
  ]
}

/**
 * POST /motion-photo.
 * @example motionPhotoRoutes(parts, { ffmpeg, webp, receiveForm, openFile, processors: 2 })
 */
export function motionPhotoRoutes(shared: FunctionParts, tools: Preparing): readonly MediaRoute[] {
  const parts = preparingParts(shared, tools)
  return [motionPhotoRoute((request, caller) => createMotionPhoto(parts, request, caller))]
}

/**
 * POST /prepare, and what its queue leaves to be prepared later.
 * @param send where there is a queue
 * @returns `take`: prepares what a message of the queue names, and holds it meanwhile. It resolves with the outcome, for the log, and
 *   throws when the message has to be delivered again; undefined without a queue
 * @example prepareFunction(parts, tools, { post, send: undefined }).routes
 */
export function prepareFunction(
  shared: FunctionParts,
  tools: Preparing,
  { post, send }: { readonly post: PostText; readonly send: SendMessage | undefined },
) {
  const { store, clock, log, limits, metrics, config } = shared
  const preparing = preparingParts(shared, tools)
  const { uploads } = preparing
  const callbacks = createCallbacks({ store, clock, metrics, uploads, config, log }, post)
  const parts = {
    store,
    clock,
    limits,
    uploads,
    callbacks,
    sessions: preparing.sessions,
    quota: preparing.quota,
    quotas: preparing.quotas,
    jobs: preparing.jobs,
    metrics: preparing.metrics,
    previewSize: preparing.previewSize,
    processors: preparing.processors,
    ffmpeg: preparing.ffmpeg,
    webp: preparing.webp,
    workFolders: preparing.workFolders,
    receiveForm: preparing.receiveForm,
    openFile: preparing.openFile,
    stopping: preparing.stopping,
  }
  const turns = new Turns({ store, clock })
  const ofRequest: CreateSession = (request, caller, onProgress) =>
    createSession(parts, request, caller, onProgress)
  return {
    routes: [
      prepareRoute(ofRequest, {
        clock,
        log,
        later: send && enqueuing(parts, { send, turns: haveTurns(config) ? turns : undefined }),
      }),
    ] as const,
    take:
      send &&
      ((message: Pick<QueueMessage, 'text' | 'count' | 'hold'>, signal: AbortSignal) =>
        takeMessage(
          {
            callbacks,
            store,
            uploads,
            clock,
            log,
            turns,
            jobs: undefined,
            createSession: ofRequest,
            send,
            tokens: config.tokens,
          },
          message,
          signal,
        )),
  }
}

/**
 * For a function that a schedule invokes.
 * @returns tries callbacks that are due; undefined where no client may have any
 * @example await callbackDelivery(parts, postText)?.(signal)
 */
export function callbackDelivery(
  shared: FunctionParts,
  post: PostText,
): ((signal: AbortSignal) => Promise<void>) | undefined {
  if (!hasCallbacks(shared.config)) return undefined
  const { store, clock, metrics, config, log } = shared
  const callbacks = createCallbacks({ store, clock, metrics, config, log, uploads: uploadsOf(shared) }, post)
  return (signal) => callbacks.deliverDue(signal)
}

function preparingParts(shared: FunctionParts, tools: Preparing) {
  const { store, sessions, workFolders, metrics, clock, limits, previewSize, version, stopping } = shared
  const { ffmpeg, webp, receiveForm, openFile, processors } = tools
  return {
    store,
    sessions,
    workFolders,
    metrics,
    clock,
    limits,
    previewSize,
    version,
    stopping,
    ffmpeg,
    webp,
    receiveForm,
    openFile,
    processors,
    uploads: uploadsOf(shared),
    quota: quotaOf(shared),
    quotas: quotasOf(shared),
    jobs: new JobQueue(limits.maxConcurrentJobs, clock),
  }
}

function uploadsOf({ store, clock, log, metrics }: FunctionParts): Uploads {
  return new Uploads({ store, clock, log, metrics })
}

function quotaOf({ store, workFolders, limits, clock }: FunctionParts) {
  return createStorageQuota({ store, workFolders, limits, clock })
}
