import type { Log } from '@lantern-room/base'
import type { WebPage } from '@lantern-room/base/http'
import { Turns } from '@lantern-room/clients'
import { convertRoute, motionPhotoRoute } from './api/convert'
import { createMediaApp } from './api/mediaApp'
import { stripRoute } from './api/pictures'
import { type CreateSession, prepareRoute } from './api/prepare'
import { previewRoute } from './api/preview'
import { photoGroup, thumbnailGroup, uploadGroup } from './api/routeGroups'
import { documentRoute, healthRoute, pageRoute, servicePage } from './api/service'
import { cleanupRoute, sessionRoute } from './api/sessions'
import { createCallbacks, hasCallbacks, haveTurns, quotasOf } from './clientParts'
import { bucketOrigin, type MediaConfig } from './config'
import { JobQueue } from './jobs/jobQueue'
import { createStoreClock } from './objectStore/storeClock'
import type { MediaParts } from './parts'
import { createConverter } from './photo/make/convertForm'
import { createMotionPhoto } from './photo/make/createMotionPhoto'
import type { MessageQueue, PostText, QueueMessage } from './ports'
import { createSession } from './preview/createSession'
import { createSessionThumbnails } from './preview/frames/sessionThumbnails'
import { Background } from './queue/background'
import { enqueuing, resumeByQueue, takeMessage } from './queue/prepareMessage'
import { createReadiness } from './readiness'
import { previewLinks } from './sessions/previewLinks'
import { Sessions } from './sessions/sessions'
import { createStorageQuota } from './sessions/storageQuota'
import { sweepStore } from './sweep'
import { Uploads } from './uploads/uploads'

/** Everything outside core that the media API needs, and what the host decides. */
export type MediaDependencies = Omit<
  MediaParts,
  'sessions' | 'uploads' | 'callbacks' | 'quota' | 'quotas' | 'jobs' | 'limits' | 'previewSize' | 'version'
> & {
  readonly log: Log
  readonly post: PostText
  /** A queue that hosts share. @default none: what no request waits for is prepared by the host that was asked */
  readonly queue?: MessageQueue | undefined
  /** The page served at GET /. @default one that names the service */
  readonly page?: WebPage | undefined
}

export type MediaApi = ReturnType<typeof createMediaApi>

/**
 * The whole media API for a host that serves every route.
 * @see docs/decisions.md, D1
 * @example const { app } = createMediaApi(readMediaConfig(process.env), dependencies, '1.0.0')
 */
export function createMediaApi(config: MediaConfig, dependencies: MediaDependencies, version: string) {
  const { limits, sessionTtlSeconds } = config
  const { store, log, metrics, page, post, workFolders, queue } = dependencies
  const clock = createStoreClock({ store, clock: dependencies.clock, log })
  const { unixTime: now, mayRemove } = clock
  const uploads = new Uploads({ store, clock, log, metrics })
  const parts: MediaParts = {
    store,
    metrics,
    workFolders,
    receiveForm: dependencies.receiveForm,
    receiveBody: dependencies.receiveBody,
    openFile: dependencies.openFile,
    ffmpeg: dependencies.ffmpeg,
    webp: dependencies.webp,
    processors: dependencies.processors,
    stopping: dependencies.stopping,
    sessions: new Sessions({ store, ttlSeconds: sessionTtlSeconds, now, mayRemove, log }),
    uploads,
    callbacks: createCallbacks({ store, clock, metrics, uploads, config, log }, post),
    quota: createStorageQuota({ store, workFolders, limits, clock }),
    quotas: quotasOf({ store, clock, metrics, config }),
    jobs: new JobQueue(limits.maxConcurrentJobs, clock),
    clock,
    limits,
    previewSize: config.previewSize,
    version,
  }
  const { sessions, jobs, callbacks } = parts
  const ofRequest: CreateSession = (...asked) => createSession(parts, ...asked)
  const { stopping } = parts
  const { tokens } = config
  const turns = new Turns({ store, clock })
  const takeInTurn =
    queue &&
    ((message: QueueMessage, draining: AbortSignal) =>
      takeMessage(
        {
          callbacks,
          store,
          uploads,
          clock,
          log,
          tokens,
          turns,
          jobs,
          createSession: ofRequest,
          send: queue.send,
        },
        message,
        stopping,
        draining,
      ))
  const background = new Background({
    store,
    uploads,
    clock,
    stopping,
    log,
    createSession: ofRequest,
    tokens: config.tokens,
  })
  const readiness = createReadiness(parts)
  const thumbnails = createSessionThumbnails(parts)
  const app = createMediaApp({ config, clock: dependencies.clock, log }, [
    healthRoute(readiness),
    ...uploadGroup(
      parts,
      log,
      queue ? resumeByQueue({ store, clock, log, send: queue.send }) : background.resume,
    ),
    prepareRoute(ofRequest, {
      clock,
      log,
      later: queue
        ? enqueuing(parts, { send: queue.send, turns: haveTurns(config) ? turns : undefined })
        : background.later,
    }),
    previewRoute(sessions, previewLinks(store, config)),
    convertRoute(createConverter(parts)),
    ...thumbnailGroup(thumbnails),
    motionPhotoRoute((request, caller) => createMotionPhoto(parts, request, caller)),
    cleanupRoute(sessions, store, log),
    sessionRoute(sessions),
    stripRoute(sessions),
    ...photoGroup(parts),
    documentRoute(version),
    pageRoute(page ?? servicePage(version), bucketOrigin(config.s3)),
  ])
  return {
    app,
    readiness,
    countJobs: () => jobs.count(),
    storeClock: clock,
    /** Resolves when nothing is prepared any more that no request waits for. */
    backgroundIsIdle: () => background.isIdle(),
    /** Goes on with what hosts that have ended were preparing, and no request waits for. To be called every half minute. */
    resume: async () => (queue ? undefined : background.resumeAll()),
    hasFreeSlot: () => jobs.hasFreeSlot(),
    /**
     * Prepares what a message of the queue names; undefined where there is none. It resolves with the outcome: the message has to be
     * removed. It throws when it has to be delivered again, as one whose turn has not come when `draining` aborts.
     */
    takeMessage: takeInTurn,
    sweep: () => sweepStore({ store, storeClock: clock, log }),
    /** Tries callbacks that are due; undefined where no client may have any. */
    deliverCallbacks: hasCallbacks(config)
      ? (signal: AbortSignal) => callbacks.deliverDue(signal)
      : undefined,
  }
}
