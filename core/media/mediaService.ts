import { ServiceError } from '../errors'
import type { MediaLimits } from './config'
import { type ClipRequest, planClip } from './convert/clip'
import type { Converting } from './convert/converting'
import { createThumbnailCache } from './convert/thumbnailCache'
import { FPS, frameAt } from './frames'
import { createJobSlots, tooBusy } from './jobSlots'
import type { MotionPhotoProfile } from './motionPhoto/profile'
import { wallClock } from './motionPhoto/wallClock'
import type {
  ByteRange,
  Ffmpeg,
  Log,
  ObjectStore,
  OpenObject,
  ReceiveForm,
  WorkFolder,
  WorkFolders,
} from './ports'
import type { Preparing } from './prepare/preparing'
import { createSniffer, type SourceKind } from './prepare/source'
import { type Session, sessionKeys } from './session'
import type { Sessions } from './sessions'

/** The use cases of the media API. Every one throws `ServiceError`, and leaves nothing behind when it does. */
export type MediaService = {
  /** Resolves when an upload could be prepared now. @throws ServiceError `unavailable` */
  checkHealth(): Promise<void>
  prepare(upload: Request, signal: AbortSignal): Promise<Session>
  session(id: string): Promise<Session>
  /** Size in bytes of a session's preview. */
  previewSize(id: string): Promise<number>
  /** Must be read to its end or cancelled. */
  openPreview(id: string, range: ByteRange | undefined): Promise<OpenObject>
  convert(order: ConvertOrder, signal: AbortSignal): Promise<{ photo: Uint8Array; takenAt: Date }>
  thumbnail(order: ThumbnailOrder): Promise<Uint8Array>
  cleanup(id: string): Promise<void>
}

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
  readonly workFolders: WorkFolders
  readonly receiveForm: ReceiveForm
  readonly ffmpeg: Ffmpeg
  readonly preparing: Preparing
  readonly converting: Converting
  readonly limits: MediaLimits
  readonly now: () => number
  readonly log: Log
  /** Aborts when the host stops: whatever still runs then is ended. */
  readonly stopping: AbortSignal
}

/** How many jobs may wait for each that runs, before the next is told to come again. */
const WAITING_PER_SLOT = 8
const THUMBNAIL_CACHE_BYTES = 32 * 1024 * 1024

export function createMediaService(dependencies: MediaServiceDependencies): MediaService {
  const { store, sessions, limits, now, log, stopping } = dependencies
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

  return {
    async checkHealth() {
      await Promise.all([store.check(), dependencies.ffmpeg.version()])
    },

    prepare: (upload, requestSignal) =>
      inWorkFolder(async (folder) => {
        const signal = AbortSignal.any([requestSignal, stopping])
        // Told before the upload, not after it.
        if (jobs.isFull()) throw tooBusy()
        const source = await receive(upload, folder, signal)
        const startedAt = now()
        const preview = await jobs.run(signal, () => dependencies.preparing(source, { folder, signal }))
        const session = await sessions.create(preview, source.path, signal)
        log.info('prepared', {
          session_id: session.id,
          upload_bytes: source.size,
          duration_ms: session.durationMs,
          took_ms: now() - startedAt,
        })
        return session
      }),

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
          log.info('converted', { session_id: session.id, bytes: photo.length, took_ms: now() - startedAt })
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
      log.info('cleaned up', { session_id: session.id })
    },
  }

  async function receive(
    upload: Request,
    folder: WorkFolder,
    signal: AbortSignal,
  ): Promise<{ path: string; size: number; kind: SourceKind }> {
    const { checkHead, kind } = createSniffer()
    const { file } = await dependencies.receiveForm(upload, {
      folder,
      maxFileBytes: limits.maxUploadBytes,
      checkHead,
      signal,
    })
    if (!file) {
      throw new ServiceError('unprocessable', 'file is missing: send the video as the form field "file".')
    }
    return { ...file, kind: kind() }
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

function gone(): ServiceError {
  return new ServiceError('not-found', 'The session was removed just now. Upload the video again.')
}
