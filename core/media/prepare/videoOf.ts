import { abortable } from '#core/async/abortable'
import { ServiceError } from '#core/errors'
import type { ByteSource } from '../byteSource'
import { parseMoment } from '../capture/moment'
import { findLivePair } from '../livePhoto/inspectLivePhoto'
import { isZip } from '../livePhoto/readZip'
import { extractClip } from '../motionPhoto/extract'
import { bytesOfParts, type FileParts, sizeOfParts } from '../motionPhoto/fileParts'
import type { ExifSummary } from '../motionPhoto/readExif'
import type { WorkFolder } from '../ports'
import { type Reading, readFrom, take } from '../reading'
import type { Capture, CaptureTime, SourceKind } from '../traits'
import type { UploadKind } from './source'

/** A file from which a preview can be made. */
export type Video = {
  readonly path: string
  readonly kind: SourceKind
  /** When the photo was taken in which the video was; more exact than what the video says. */
  readonly photoTime: CaptureTime | undefined
}

type Task = { readonly folder: Pick<WorkFolder, 'write'>; readonly signal: AbortSignal }

/** The clip of a photo is some megabytes. */
const MAX_CLIP_BYTES = 128 * 1024 * 1024

/**
 * The video of an upload: itself, or the clip of a motion photo or Live Photo, which becomes a file of the folder.
 * @throws ServiceError `invalid-request` for a still image and what is no photo, `payload-too-large`
 */
export async function videoOf(
  openFile: (path: string) => Promise<ByteSource>,
  upload: { readonly path: string; readonly kind: UploadKind },
  { folder, signal }: Task,
): Promise<Video> {
  const { path, kind } = upload
  if (kind !== 'photo') return { path, kind, photoTime: undefined }
  const source = await openFile(path)
  const { parts, exif } = await readFrom(findClip(source), source, signal).catch(asBadUpload)
  if (sizeOfParts(parts) > MAX_CLIP_BYTES) {
    throw new ServiceError(
      'payload-too-large',
      `The video in the photo is larger than ${MAX_CLIP_BYTES} bytes. Take it out with POST /extract, and send it by itself.`,
    )
  }
  const clip = await folder.write('unpacked.mp4', abortable(bytesOfParts(parts, source), signal))
  return { path: clip, kind: 'video', photoTime: timeOf(exif) }
}

/** What is known of the recording, by the photo where it says more than its video. */
export function captureOf(capture: Capture, { photoTime }: Video): Capture {
  return photoTime ? { ...capture, time: photoTime } : capture
}

type FoundClip = { readonly parts: FileParts; readonly exif: ExifSummary | undefined }

function* findClip(file: { readonly size: number }): Reading<FoundClip> {
  if (isZip(yield* take(file, 0, 4))) {
    const { photo, movie } = yield* findLivePair(file)
    return { parts: [{ start: movie.start, end: movie.start + movie.size }], exif: photo.exif }
  }
  const { parts, inspection } = yield* extractClip(file)
  return { parts, exif: inspection.photo.exif }
}

/** Local time with its offset; without one, the time of the video is more exact. */
function timeOf(exif: ExifSummary | undefined): CaptureTime | undefined {
  const written = exif?.dateTimeOriginal?.replace(/^(\d{4}):(\d\d):(\d\d) /, '$1-$2-$3T')
  const moment = written && exif?.offsetTime ? parseMoment(written + exif.offsetTime) : undefined
  return moment?.offsetMinutes === undefined ? undefined : moment
}

/** The upload is to blame, as any other that has no video. */
function asBadUpload(error: unknown): never {
  if (!(error instanceof ServiceError) || !['unprocessable', 'unsupported-media'].includes(error.code))
    throw error
  const isStill = error.detail.startsWith('The file is a photo without a video')
  const detail = isStill
    ? 'The file is a still image. Send a video, an animated image, or a motion photo with its video.'
    : error.detail
  throw new ServiceError('invalid-request', detail, { cause: error })
}
