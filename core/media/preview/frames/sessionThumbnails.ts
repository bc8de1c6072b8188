import { ServiceError } from '@lantern-room/base'
import type { Caller, Client } from '@lantern-room/clients'
import { splitPictures, tileOf } from '@lantern-room/formats/pictures'
import { type FrameTrack, findFrames, frameTrackBytes, readFrameStream } from '@lantern-room/mp4/clip'
import type { ByteSource } from '@lantern-room/mp4/source'
import { createByteCache } from '#media/byteCache'
import { plainInput, UNPROBED } from '#media/ffmpeg/ffmpegInput'
import { previewToJpegPicture } from '#media/ffmpeg/filters'
import { runFfmpeg } from '#media/ffmpeg/requireSuccess'
import { refusals } from '#media/formatRefusal'
import { FPS, frameAt } from '#media/frames'
import type { MediaParts } from '#media/parts'
import type { Session } from '#media/sessions/session'
import { Batches } from './batches'

/** `width` in pixels; undefined for the preview's own. */
type FrameRequest = { readonly sessionId: string; readonly width: number | undefined }

export type SessionThumbnails = ReturnType<typeof createSessionThumbnails>

const CACHE_BYTES = 32 * 1024 * 1024
const STRIP_CACHE_BYTES = 16 * 1024 * 1024
const TRACK_CACHE_BYTES = 8 * 1024 * 1024

/** Frames that one run of ffmpeg takes at most. */
const MAX_BATCH = 25

/**
 * JPEGs of frames of sessions' previews, with their caches. A tile of the filmstrip answers where it shows exactly the frame in the
 * width asked for. Both functions throw ServiceError `not-found`, `out-of-range`, `internal`, `unavailable`.
 */
export function createSessionThumbnails(
  dependencies: Pick<MediaParts, 'sessions' | 'ffmpeg' | 'jobs' | 'limits' | 'stopping'>,
) {
  const { sessions, jobs, stopping } = dependencies
  const batches = new Batches<Uint8Array>(MAX_BATCH)
  const thumbnails = createByteCache<Uint8Array>(CACHE_BYTES, ({ length }) => length)
  const strips = createByteCache<Uint8Array>(STRIP_CACHE_BYTES, ({ length }) => length)
  const tracks = createByteCache<FrameTrack>(TRACK_CACHE_BYTES, frameTrackBytes)

  async function thumbnail(session: Session, frame: number, wantedWidth: number | undefined, client: Client) {
    const width = Math.min(wantedWidth ?? session.width, session.width)
    return (await tile(session, frame, width)) ?? taken(session, frame, width, client)
  }

  async function tile(session: Session, frame: number, width: number): Promise<Uint8Array | undefined> {
    const { strip } = session
    if (strip?.tileWidth !== width || frame % strip.interval !== 0) return undefined
    const jpeg = await strips.get(session.id, () => sessions.read(session, 'strip'))
    return tileOf(jpeg, strip, frame / strip.interval)
  }

  const taken = (session: Session, frame: number, width: number, client: Client) =>
    thumbnails.get(`${session.id}/${frame}/${width}`, () =>
      batches.get(`${session.id}/${width}`, frame, {
        // Other requests may wait for the same thumbnail, so it is not cancelled with the first of them.
        run: (work) => jobs.run({ kind: 'thumbnail', client, signal: stopping }, work),
        async make(frames) {
          const source = await sessions.source(session, 'preview')
          const track = await tracks.get(session.id, () => readPreviewTrack(source))
          return takeThumbnails(dependencies, { source, track }, frames, width, stopping)
        },
      }),
    )

  return {
    /** The frame that a player shows at a time, in seconds. */
    async atTime(
      { sessionId, timestamp, width }: FrameRequest & { readonly timestamp: number },
      { client }: Caller,
    ): Promise<Uint8Array> {
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

    /** Checks that there is such a frame, counted from 0. @returns a function that makes its JPEG */
    async findFrame(
      { sessionId, frame, width }: FrameRequest & { readonly frame: number },
      { client }: Caller,
    ): Promise<() => Promise<Uint8Array>> {
      const session = await sessions.find(sessionId)
      if (frame < session.frames) return () => thumbnail(session, frame, width, client)
      throw new ServiceError(
        'out-of-range',
        `There is no frame ${frame}: the preview has the frames 0 to ${session.frames - 1}.`,
      )
    },
  }
}

/**
 * Reads where the frames of a preview lie.
 * @throws ServiceError `internal` when it is no preview of ours; what the source throws
 */
export async function readPreviewTrack(source: ByteSource): Promise<FrameTrack> {
  const { track, problem } = await findFrames(source)
  if (track) return track
  throw new ServiceError('internal', 'The preview cannot be read. Upload the video again.', {
    cause: new Error(problem),
  })
}

/**
 * Takes frames of a preview as JPEGs of at most `width` pixels, by one run of ffmpeg. Only the groups of these frames are
 * read.
 * @param frames in ascending order, without duplicates
 * @returns the JPEGs in the same order
 * @throws ServiceError `timeout`, `internal`, `unavailable`, `not-found` when the preview was removed meanwhile
 */
export async function takeThumbnails(
  { ffmpeg, limits }: Pick<MediaParts, 'ffmpeg' | 'limits'>,
  { source, track }: { readonly source: ByteSource; readonly track: FrameTrack },
  frames: readonly number[],
  width: number,
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> {
  const { stream: stdin, pictures: wanted } = await refusals(readFrameStream(source, track, frames))
  const args = thumbnailArgs(wanted, width)
  const run = { ffmpeg, timeoutMs: limits.convertTimeoutSeconds * 1000, signal }
  const outcome = await runFfmpeg(run, args, stdin)
  const pictures = splitPictures(outcome.stdout) ?? []
  if (pictures.length === frames.length) return pictures
  throw new ServiceError('internal', 'The thumbnail could not be made. Try another time.', {
    cause: new Error(`${pictures.length} pictures of ${frames.length}: ${outcome.stderr}`),
  })
}

/** Pictures of an H.264 stream on standard input, counted from 0, as JPEGs on standard output, one after the other. */
export function thumbnailArgs(pictures: readonly number[], width: number): string[] {
  const wanted = pictures.map((picture) => `eq(n,${picture})`).join('+')
  // Without gaps in the times no picture is repeated.
  const filters = [`select='${wanted}'`, `setpts=N/${FPS}/TB`, previewToJpegPicture(width)].join(',')
  return [
    ...plainInput('h264', ['-threads', '1', UNPROBED, '-framerate', String(FPS)]),
    ...['-map', '0:v:0', '-vf', filters, '-r', String(FPS), '-frames:v', String(pictures.length)],
    ...['-c:v', 'mjpeg', '-color_range', 'pc', '-strict', 'unofficial', '-threads', '1'],
    ...['-q:v', '3', '-f', 'mjpeg', 'pipe:1'],
  ]
}
