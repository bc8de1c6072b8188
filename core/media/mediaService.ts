import { ServiceError } from '../errors'
import type { MediaLimits } from './config'
import { type ClipRequest, planClip } from './convert/clip'
import type { Converting } from './convert/convertClip'
import { createThumbnailCache } from './convert/thumbnailCache'
import { FPS, frameAt } from './frames'
import { createJobSlots } from './jobSlots'
import type { MotionPhotoProfile } from './motionPhoto/profile'
import { wallClock } from './motionPhoto/wallClock'
import type {
  ByteRange,
  Ffmpeg,
  Metrics,
  ObjectStore,
  OpenObject,
  ReceiveBody,
  ReceiveForm,
  WorkFolder,
  WorkFolders,
} from './ports'
import { createSessionMaking, type PrepareOrder } from './prepare/createSession'
import type { Preparing } from './prepare/preparePreview'
import { type Session, sessionKeys } from './session'
import type { Sessions } from './sessions'
import { mayBeSentAs, UPLOAD_TTL_SECONDS, type Upload, uploadKeys } from './uploads/upload'
import type { Uploads } from './uploads/uploads'

/** The use cases of the media API. Every one throws `ServiceError`, and leaves nothing behind when it does. */
export type MediaService = {
  /** Resolves when an upload could be prepared now. @throws ServiceError `unavailable` */
  checkHealth(): Promise<void>
  /** Allows a file to be sent apart from the request that prepares it. @returns `put` where the store takes it itself */
  createUpload(
    file: Pick<Upload, 'size' | 'contentType'>,
  ): Promise<{ upload: Upload; put: PutTarget | undefined }>
  /** Takes an upload's file, where the store does not. */
  receiveUpload(id: string, request: Request, signal: AbortSignal): Promise<void>
  prepare(order: PrepareOrder, signal: AbortSignal): Promise<Session>
  session(id: string): Promise<Session>
  /** Size in bytes of a session's preview. */
  previewSize(id: string): Promise<number>
  /** Must be read to its end or cancelled. */
  openPreview(id: string, range: ByteRange | undefined): Promise<OpenObject>
  convert(order: ConvertOrder, signal: AbortSignal): Promise<{ photo: Uint8Array; takenAt: Date }>
  thumbnail(order: ThumbnailOrder): Promise<Uint8Array>
  cleanup(id: string): Promise<void>
}

type PutTarget = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

export type ConvertOrder = ClipRequest & {
  readonly sessionId: string
  readonly profile: MotionPhotoProfile
  readonly mute: boolean
}

export type ThumbnailOrder = {
  readonly sessionId: string
  /** Seconds. */
  readonly timestamp: number
  /** Pixels; the preview's own width without. */
  readonly width: number | undefined
}

export type MediaServiceDependencies = {
  readonly store: ObjectStore
  readonly sessions: Sessions
  readonly uploads: Uploads
  readonly workFolders: WorkFolders
  readonly receiveForm: ReceiveForm
  readonly receiveBody: ReceiveBody
  readonly ffmpeg: Ffmpeg
  readonly preparing: Preparing
  readonly converting: Converting
  readonly limits: MediaLimits
  readonly now: () => number
  readonly metrics: Metrics
  /** Aborts when the host stops: whatever still runs then is ended. */
  readonly stopping: AbortSignal
}

/** How many jobs may wait for each that runs, before the next is told to come again. */
const WAITING_PER_SLOT = 8
const THUMBNAIL_CACHE_BYTES = 32 * 1024 * 1024

export function createMediaService(dependencies: MediaServiceDependencies): MediaService {
  const { store, sessions, uploads, limits, now, metrics, stopping } = dependencies
  const jobs = createJobSlots({
    running: limits.maxConcurrentJobs,
    waiting: limits.maxConcurrentJobs * WAITING_PER_SLOT,
  })
  // Thumbnails come by the dozen and take a blink each: they wait, and are never refused for their number.
  const thumbnailJobs = createJobSlots({
    running: limits.maxConcurrentJobs,
    waiting: Number.POSITIVE_INFINITY,
  })
  const thumbnails = createThumbnailCache(THUMBNAIL_CACHE_BYTES)
  const makeSession = createSessionMaking({
    ...dependencies,
    jobs,
    maxUploadBytes: limits.maxUploadBytes,
  })

  return {
    async checkHealth() {
      await Promise.all([store.check().catch(storageFails), dependencies.ffmpeg.version()])
    },

    async createUpload({ size, contentType }) {
      if (size > limits.maxUploadBytes) throw tooLarge(limits.maxUploadBytes)
      const upload = await uploads.create({ size, contentType })
      const put = await store.presignPut?.(uploadKeys(upload.id).file, {
        size,
        contentType,
        expiresInSeconds: UPLOAD_TTL_SECONDS,
      })
      return { upload, put }
    },

    async receiveUpload(id, request, requestSignal) {
      const upload = await uploads.find(id)
      if (!mayBeSentAs(request.headers.get('Content-Type') ?? '', upload)) throw otherType()
      await uploads.mustBeEmpty(upload)
      const signal = AbortSignal.any([requestSignal, stopping])
      await inWorkFolder(async (folder) => {
        const path = await dependencies.receiveBody(request, { folder, size: upload.size, signal })
        await uploads.put(upload, path)
      })
    },

    prepare: (order, requestSignal) =>
      inWorkFolder((folder) =>
        makeSession(order, { folder, signal: AbortSignal.any([requestSignal, stopping]) }),
      ),

    session: sessions.find,

    async previewSize(id) {
      const session = await sessions.find(id)
      const head = await store.head(sessionKeys(session.id).preview)
      if (!head) throw gone()
      return head.size
    },

    async openPreview(id, range) {
      const opened = await store.open(sessionKeys(id).preview, range)
      if (!opened) throw gone()
      return opened
    },

    async convert(order, requestSignal) {
      const signal = AbortSignal.any([requestSignal, stopping])
      const session = await sessions.find(order.sessionId)
      const plan = planClip(order, session.frames, limits.maxClipSeconds)
      const startedAt = now()
      return jobs.run(signal, () =>
        inWorkFolder(async (folder) => {
          const takenAt = new Date(now())
          const photo = await withFiles(session, (preview, original) =>
            dependencies.converting.motionPhoto(
              {
                preview: { path: preview, hasAudio: session.hasAudio },
                original: { path: original, traits: session.original },
              },
              { plan, profile: order.profile, mute: order.mute, takenAt: wallClock(takenAt, 0) },
              { folder, signal },
            ),
          )
          metrics.converted({
            sessionId: session.id,
            photoBytes: photo.length,
            tookMs: now() - startedAt,
          })
          return { photo, takenAt }
        }),
      )
    },

    async thumbnail({ sessionId, timestamp, width }) {
      const session = await sessions.find(sessionId)
      const duration = session.frames / FPS
      if (timestamp < 0 || timestamp >= duration + 1 / FPS) {
        throw new ServiceError(
          'out-of-range',
          `timestamp must be from 0 to the end of the preview (${duration.toFixed(3)} s).`,
        )
      }
      const frame = Math.min(frameAt(timestamp), session.frames - 1)
      const pixels = Math.min(width ?? session.width, session.width)
      return thumbnails.get(`${session.id}/${frame}/${pixels}`, () =>
        // Others may wait for the same one, so that a client who leaves does not end it.
        thumbnailJobs.run(stopping, async () => {
          const preview = await sessions.checkOut(session, 'preview')
          try {
            return await dependencies.converting.thumbnail(preview.path, frame, pixels, stopping)
          } finally {
            await preview.release()
          }
        }),
      )
    },

    async cleanup(id) {
      const session = await sessions.find(id)
      await sessions.remove(session.id)
    },
  }

  async function withFiles<T>(
    session: Session,
    use: (preview: string, original: string) => Promise<T>,
  ): Promise<T> {
    const preview = await sessions.checkOut(session, 'preview')
    try {
      const original = await sessions.checkOut(session, 'original')
      try {
        return await use(preview.path, original.path)
      } finally {
        await original.release()
      }
    } finally {
      await preview.release()
    }
  }

  async function inWorkFolder<T>(work: (folder: WorkFolder) => Promise<T>): Promise<T> {
    const folder = await dependencies.workFolders.open()
    try {
      return await work(folder)
    } finally {
      await folder.dispose()
    }
  }
}

/** What is wrong with a store is told to whoever runs the service: it may hold names that strangers need not know. */
function storageFails(cause: unknown): never {
  const code = cause instanceof ServiceError && cause.code === 'timeout' ? 'timeout' : 'unavailable'
  throw new ServiceError(code, 'The storage does not work right now. Try again later.', { cause })
}

function gone(): ServiceError {
  return new ServiceError('not-found', 'The session was removed just now. Upload the video again.')
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError(
    'payload-too-large',
    `The file is larger than ${maxBytes} bytes, the most that this service takes. Send a shorter or smaller one.`,
  )
}

function otherType(): ServiceError {
  return new ServiceError(
    'unsupported-media',
    'The Content-Type is not the content_type that POST /uploads was told. Send the headers that it gave.',
  )
}
