import type { Clock } from '../async/clock'
import { createSingleFlight } from '../async/singleFlight'
import type { WebPage } from '../http/webPage'
import type { Log } from '../log'
import { convertRoute, motionPhotoRoute } from './api/convert'
import { type App, createMediaApp } from './api/mediaApp'
import { extractRoute, inspectRoute, repairRoute } from './api/photos'
import { frameRoute, stripRoute, thumbnailRoute } from './api/pictures'
import { prepareRoute } from './api/prepare'
import { previewRoute } from './api/preview'
import { documentRoute, healthRoute, pageRoute, studioRoute } from './api/service'
import { cleanupRoute, sessionRoute } from './api/sessions'
import { allowUploadRoute, cancelUploadRoute, followUploadRoute, receiveUploadRoute } from './api/uploads'
import { bucketOrigin } from './bucketSettings'
import type { MediaConfig } from './config'
import { convertForm } from './convert/convertForm'
import type { ConvertedPhoto } from './convert/convertSession'
import { createCovers } from './cover/covers'
import { type JobCount, JobQueue } from './jobs/jobQueue'
import { logMetrics } from './metrics'
import type { ObjectStore } from './objectStore/ports'
import { createStoreClock, type StoreClock } from './objectStore/storeClock'
import { createMotionPhoto } from './oneShot/createMotionPhoto'
import type { PhotoTools } from './oneShot/photoOfFile'
import { extractPhoto, inspectPhoto, repairPhoto } from './photos/photoAnswers'
import type { Ffmpeg, Metrics, ReceiveBody, ReceiveForm, WebpDecoder, WorkFolders } from './ports'
import { createSession } from './prepare/createSession'
import { createReadiness, type Readiness } from './readiness'
import { previewLinks } from './sessions/previewLinks'
import { Sessions } from './sessions/sessions'
import { createStorageQuota } from './sessions/storageQuota'
import { type Swept, sweepStore } from './sweep'
import { createSessionThumbnails } from './thumbnails/sessionThumbnails'
import { allowUpload } from './uploads/allowUpload'
import { cancelUpload, followUpload } from './uploads/followUpload'
import { receiveUpload } from './uploads/receiveUpload'
import { Uploads } from './uploads/uploads'

/** Everything outside core that the media API needs, and what the host decides. */
export type MediaDependencies = {
  readonly store: ObjectStore
  readonly workFolders: WorkFolders
  readonly receiveForm: ReceiveForm
  readonly receiveBody: ReceiveBody
  /** A file of this machine, to be read by range. */
  readonly openFile: PhotoTools['openFile']
  readonly ffmpeg: Ffmpeg
  readonly webp: WebpDecoder
  readonly log: Log
  /** The page served at GET /; by default, a page with the service's state. */
  readonly page?: WebPage
  /** By default the figures are logged. */
  readonly metrics?: Metrics
  readonly clock: Clock
  /** Processors of this machine. */
  readonly processors: number
  /** Aborts when the host stops. */
  readonly stopping: AbortSignal
}

export type MediaApi = {
  readonly app: App
  readonly readiness: Pick<Readiness, 'check'>
  readonly countJobs: () => JobCount
  readonly storeClock: StoreClock
  /** Resolves when nothing is prepared any more that no request waits for. */
  backgroundIsIdle(): Promise<void>
  /** Sweeps the store: `sweepStore`. */
  sweep(): Promise<Swept | undefined>
}

/** The whole media API for a host that serves every route. @see docs/decisions.md, D1 */
export function createMediaApi(
  config: MediaConfig,
  dependencies: MediaDependencies,
  version: string,
): MediaApi {
  const { limits, previewSize, sessionTtlSeconds } = config
  const { store, workFolders, receiveForm, receiveBody, openFile, ffmpeg, webp, log, page } = dependencies
  const { processors, stopping, metrics = logMetrics(log) } = dependencies
  const clock = createStoreClock(dependencies)
  const { unixTime: now, mayRemove } = clock
  const sessions = new Sessions({ store, ttlSeconds: sessionTtlSeconds, now, mayRemove })
  const uploads = new Uploads({ store, now, clock, log })
  const quota = createStorageQuota({ store, workFolders, limits, clock })
  const jobs = new JobQueue(limits.maxConcurrentJobs, clock)
  const readiness = createReadiness({ store, ffmpeg, workFolders, clock })
  const background = new Set<Promise<void>>()
  const thumbnails = createSessionThumbnails({ sessions, ffmpeg, jobs, limits, processors, stopping })
  const uploading = { store, uploads, quota, workFolders, receiveBody, limits, now, stopping }
  const photos = {
    store,
    uploads,
    quota,
    workFolders,
    receiveForm,
    openFile,
    ffmpeg,
    jobs,
    limits,
    stopping,
  }
  const encoding = { ...photos, webp, clock, metrics, previewSize, processors }
  const converting = {
    ...encoding,
    sessions,
    covers: createCovers({ sessions, ffmpeg, webp, workFolders, limits }),
    conversions: createSingleFlight<ConvertedPhoto>(),
    version,
  }
  const app = createMediaApp({ config, now: dependencies.clock.unixTime, log }, [
    healthRoute(readiness),
    allowUploadRoute((file, client) => allowUpload(uploading, file, client)),
    receiveUploadRoute((id, request, signal) => receiveUpload(uploading, id, request, signal)),
    followUploadRoute((id) => followUpload(uploading, id)),
    cancelUploadRoute((id) => cancelUpload(uploading, id)),
    prepareRoute((...asked) => createSession({ ...encoding, sessions }, ...asked), {
      clock,
      log,
      goOn(work) {
        const ended = work.finally(() => background.delete(ended))
        background.add(ended)
      },
    }),
    previewRoute(sessions, previewLinks(store, config)),
    convertRoute((request, caller) => convertForm(converting, request, caller)),
    thumbnailRoute(thumbnails.atTime),
    frameRoute(thumbnails.findFrame),
    motionPhotoRoute((request, caller) => createMotionPhoto({ ...encoding, version }, request, caller)),
    cleanupRoute(sessions, store),
    sessionRoute(sessions),
    stripRoute(sessions),
    inspectRoute((request, caller) => inspectPhoto(photos, request, caller)),
    extractRoute((request, caller) => extractPhoto(photos, request, caller)),
    repairRoute((request, caller) => repairPhoto(photos, request, caller)),
    documentRoute(version),
    page ? studioRoute(page, bucketOrigin(config.s3)) : pageRoute(readiness, version),
  ])
  return {
    app,
    readiness,
    countJobs: () => jobs.count(),
    storeClock: clock,
    async backgroundIsIdle() {
      await Promise.all(background)
    },
    sweep: () => sweepStore({ store, storeClock: clock }),
  }
}
