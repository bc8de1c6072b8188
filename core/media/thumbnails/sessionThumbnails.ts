import { ServiceError } from '#core/errors'
import { createByteCache } from '../byteCache'
import type { Caller, Client } from '../client'
import type { MediaLimits } from '../config'
import { FPS, frameAt } from '../frames'
import type { JobQueue } from '../jobs/jobQueue'
import type { Session } from '../sessions/session'
import type { Sessions } from '../sessions/sessions'
import { tileOf } from '../strip/filmstrip'
import { createBatches } from './batches'
import type { PreviewTrack } from './frameStream'
import { readPreviewTrack, trackBytes } from './frameStream'
import { type TakeThumbnailsDependencies, takeThumbnails } from './takeThumbnails'

export type ThumbnailRequest = {
  readonly sessionId: string
  /** Seconds. */
  readonly timestamp: number
  /** Pixels; undefined for the preview's own width. */
  readonly width: number | undefined
}

export type FrameRequest = {
  readonly sessionId: string
  /** Of the preview, counted from 0. */
  readonly frame: number
  readonly width: number | undefined
}

export type SessionThumbnailsDependencies = TakeThumbnailsDependencies & {
  readonly sessions: Pick<Sessions, 'find' | 'previewSource' | 'readStrip'>
  readonly jobs: JobQueue
  readonly limits: Pick<MediaLimits, 'maxConcurrentJobs'>
  /** Processors of this machine; no more programs run at a time for one preview. */
  readonly processors: number
  /** Aborts when the host stops. */
  readonly stopping: AbortSignal
}

/** JPEGs of frames of sessions' previews. Both throw ServiceError `not-found`, `out-of-range`, `internal`, `unavailable`. */
export type SessionThumbnails = {
  /** The frame that a player shows at a time. */
  atTime(request: ThumbnailRequest, caller: Caller): Promise<Uint8Array>
  /** Whether there is such a frame. @returns what makes its JPEG */
  findFrame(request: FrameRequest, caller: Caller): Promise<() => Promise<Uint8Array>>
}

const CACHE_BYTES = 32 * 1024 * 1024
const STRIP_CACHE_BYTES = 16 * 1024 * 1024
const TRACK_CACHE_BYTES = 8 * 1024 * 1024

/** Frames that one run of ffmpeg takes at most. */
const MAX_BATCH = 25

/** Thumbnails with their caches. A tile of the filmstrip answers where it shows exactly the frame in the width asked for. */
export function createSessionThumbnails(dependencies: SessionThumbnailsDependencies): SessionThumbnails {
  const { sessions, jobs, limits, processors, stopping } = dependencies
  const batches = createBatches<Uint8Array>({
    jobs: Math.max(1, Math.min(limits.maxConcurrentJobs, processors)),
    maxFrames: MAX_BATCH,
  })
  const thumbnails = createByteCache<Uint8Array>(CACHE_BYTES, ({ length }) => length)
  const strips = createByteCache<Uint8Array>(STRIP_CACHE_BYTES, ({ length }) => length)
  const tracks = createByteCache<PreviewTrack>(TRACK_CACHE_BYTES, trackBytes)

  async function thumbnail(session: Session, frame: number, wantedWidth: number | undefined, client: Client) {
    const width = Math.min(wantedWidth ?? session.width, session.width)
    return (await tile(session, frame, width)) ?? taken(session, frame, width, client)
  }

  async function tile(session: Session, frame: number, width: number): Promise<Uint8Array | undefined> {
    const { strip } = session
    if (strip?.tileWidth !== width || frame % strip.interval !== 0) return undefined
    const jpeg = await strips.get(session.id, async () => (await sessions.readStrip(session)) ?? NOTHING)
    return tileOf(jpeg, strip, frame / strip.interval)
  }

  const taken = (session: Session, frame: number, width: number, client: Client) =>
    thumbnails.get(`${session.id}/${frame}/${width}`, () =>
      batches.get(`${session.id}/${width}`, frame, {
        // Other requests may wait for the same thumbnail, so it is not cancelled with the first of them.
        run: (work) => jobs.run({ kind: 'thumbnail', client, signal: stopping }, work),
        async make(frames) {
          const source = await sessions.previewSource(session)
          const track = await tracks.get(session.id, () => readPreviewTrack(source))
          return takeThumbnails(dependencies, { source, track }, frames, width, stopping)
        },
      }),
    )

  return {
    async atTime({ sessionId, timestamp, width }, { client }) {
      const session = await sessions.find(sessionId)
      const duration = session.frames / FPS
      if (timestamp < 0 || timestamp >= duration + 1 / FPS) {
        throw new ServiceError(
          'out-of-range',
          `timestamp must be from 0 to the end of the preview (${duration.toFixed(3)} s).`,
        )
      }
      return thumbnail(session, Math.min(frameAt(timestamp), session.frames - 1), width, client)
    },

    async findFrame({ sessionId, frame, width }, { client }) {
      const session = await sessions.find(sessionId)
      if (frame < session.frames) return () => thumbnail(session, frame, width, client)
      throw new ServiceError(
        'out-of-range',
        `There is no frame ${frame}: the preview has the frames 0 to ${session.frames - 1}.`,
      )
    },
  }
}

const NOTHING = new Uint8Array()
