import { ServiceError } from '#core/errors'
import { createByteCache } from '../byteCache'
import type { Caller } from '../client'
import { FPS, frameAt } from '../frames'
import type { JobQueue } from '../jobs/jobQueue'
import type { Sessions } from '../sessions'
import { type TakeThumbnailDependencies, takeThumbnail } from './takeThumbnail'

export type ThumbnailRequest = {
  readonly sessionId: string
  /** Seconds. */
  readonly timestamp: number
  /** Pixels; undefined for the preview's own width. */
  readonly width: number | undefined
}

export type SessionThumbnailsDependencies = TakeThumbnailDependencies & {
  readonly sessions: Pick<Sessions, 'find' | 'checkOutPreview'>
  readonly jobs: JobQueue
  /** Aborts when the host stops. */
  readonly stopping: AbortSignal
}

const CACHE_BYTES = 32 * 1024 * 1024

/**
 * Thumbnails of sessions' previews, with a cache.
 * @returns a function that resolves with a JPEG. It throws ServiceError `not-found`, `out-of-range`, `internal`, `unavailable`
 */
export function createSessionThumbnails(
  dependencies: SessionThumbnailsDependencies,
): (request: ThumbnailRequest, caller: Caller) => Promise<Uint8Array> {
  const { sessions, jobs, stopping } = dependencies
  const cache = createByteCache<Uint8Array>(CACHE_BYTES, ({ length }) => length)

  return async ({ sessionId, timestamp, width }, { client }) => {
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
    return cache.get(`${session.id}/${frame}/${pixels}`, () =>
      // Other requests may wait for the same thumbnail, so it is not cancelled with the first of them.
      jobs.run({ kind: 'thumbnail', client, signal: stopping }, async () => {
        const preview = await sessions.checkOutPreview(session)
        try {
          return await takeThumbnail(dependencies, preview.path, frame, pixels, stopping)
        } finally {
          await preview.release()
        }
      }),
    )
  }
}
