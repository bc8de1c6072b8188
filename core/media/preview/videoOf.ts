import { ServiceError, type Wording } from '@lantern-room/base'
import { abortable } from '@lantern-room/base/async'
import { readPhoto } from '@lantern-room/formats'
import { keptPicture, openUnpacked, takeApart } from '@lantern-room/formats/files'
import { type PhotoClocks, surveyVideo } from '@lantern-room/formats/video'
import type { Movie } from '@lantern-room/mp4'
import {
  type ByteSource,
  bytesOfParts,
  bytesSource,
  type FileParts,
  readFrom,
  sizeOfParts,
} from '@lantern-room/mp4/source'
import { refusals } from '#media/formatRefusal'
import { checkPair, readPhotoMarks, readVideoMarks } from '../capture/pair'
import { captureOfMovie } from '../capture/readCapture'
import { FPS } from '../frames'
import type { MediaParts } from '../parts'
import type { WorkFolder } from '../ports'
import { MAX_PICTURE_BYTES, type Recording, type SourceKind, type SourceStill } from '../traits'
import { encrypted } from './explainRefusal'
import { stillImage, type UploadKind } from './sniff'

/** A file from which a preview can be made. */
export type Video = {
  readonly path: string
  readonly kind: SourceKind
  /** The index of an MP4 or MOV, and the size of the file. */
  readonly movie?: Movie | undefined
  readonly size?: number | undefined
  /** What the index says of the recording, if nothing else does. */
  readonly capture?: (() => Recording | undefined) | undefined
  /** Of the photo in which the video was, or that came with it. */
  readonly clocks: PhotoClocks | undefined
  /** The photo's own picture. Undefined for what is no photo, and where the picture is cut or too large. */
  readonly still?: (SourceStill & { readonly parts: FileParts; readonly source: ByteSource }) | undefined
}

export type VideoUpload = {
  readonly path: string
  readonly kind: UploadKind
  /** A photo that belongs to the video. */
  readonly photo?: string | undefined
}

type Task = { readonly folder: Pick<WorkFolder, 'write'>; readonly signal: AbortSignal }

/** The clip of a photo is some megabytes. */
const MAX_CLIP_BYTES = 128 * 1024 * 1024

/**
 * The video of an upload: itself, or the clip of a motion photo or Live Photo, which becomes a file of the folder.
 * @throws ServiceError `invalid-request` for a still image and what is no photo, `payload-too-large`
 * @example const video = await videoOf(openFile, { path, kind: sourceKind(head) }, { folder, signal })
 */
export async function videoOf(
  openFile: MediaParts['openFile'],
  upload: VideoUpload,
  { folder, signal }: Task,
): Promise<Video> {
  const { path, kind, photo } = upload
  if (photo !== undefined) return videoOfPair(openFile, { path, kind, photo }, { folder, signal })
  if (kind !== 'photo')
    return { ...(await readable(openFile, { path, kind }, { folder, signal })), clocks: undefined }
  const source = await refusals(openUnpacked(await openFile(path), signal)).catch(asBadUpload)
  const apart = readFrom(takeApart(source, MAX_PICTURE_BYTES), source, signal)
  const { clip, clocks, clipSeconds, picture, momentUs } = await refusals(apart).catch(asBadUpload)
  if (sizeOfParts(clip) > MAX_CLIP_BYTES) {
    throw new ServiceError(
      'payload-too-large',
      `The video in the photo is larger than ${MAX_CLIP_BYTES} bytes. Extract it, and send it by itself.`,
    )
  }
  const unpacked = await folder.write('unpacked.mp4', abortable(bytesOfParts(clip, source), signal))
  const video = await readable(openFile, { path: unpacked, kind: 'video' }, { folder, signal })
  if (!picture) return { ...video, clocks }
  const seconds = stillSeconds(momentUs, clipSeconds)
  return { ...video, clocks, still: { parts: picture.parts, source, seconds, lost: picture.lost.join(' ') } }
}

/**
 * A video with the photo that belongs to it, which are two files.
 * @throws ServiceError `unprocessable` when they are no pair, naming the fields
 */
async function videoOfPair(
  openFile: MediaParts['openFile'],
  { path, kind, photo: photoPath }: VideoUpload & { readonly photo: string },
  { folder, signal }: Task,
): Promise<Video> {
  if (kind !== 'video')
    throw noPair((nameOf) => `${nameOf('photo')} goes with a video only, and the other file is none.`)
  const [source, photoFile] = [await openFile(path), await openFile(photoPath)]
  const isSmall = photoFile.size <= MAX_PICTURE_BYTES
  const file = isSmall ? bytesSource(await photoFile.read(0, photoFile.size)) : photoFile
  const photo = await readFrom(readPhoto(file), file, signal)
  if (!photo) throw noPair((nameOf) => `${nameOf('photo')} must be a JPEG or HEIC.`)
  const marks = await readFrom(readVideoMarks(source), source, signal)
  const photoMarks = await readFrom(readPhotoMarks(file, photo), file, signal)
  checkPair(photoMarks, marks)
  const kept = await readFrom(keptPicture(file, photo, MAX_PICTURE_BYTES), file, signal)
  if (!kept) throw noPair((nameOf) => `${nameOf('photo')} is cut, or larger than ${MAX_PICTURE_BYTES} bytes.`)
  const video = await readable(openFile, { path, kind }, { folder, signal })
  const seconds = stillSeconds(marks.stillTimeUs, marks.seconds)
  const still = { parts: kept.parts, source: file, seconds, lost: kept.lost.join(' ') }
  return { ...video, clocks: photoMarks.clocks?.photo, still }
}

function noPair(detail: Wording): ServiceError {
  return new ServiceError('unprocessable', detail)
}

/**
 * The file itself, or a copy in which what ffmpeg would read otherwise than players do is written out. That is rare.
 * @throws ServiceError `unsupported-media` when it is encrypted, `invalid-request` for a still PNG
 */
async function readable(
  openFile: MediaParts['openFile'],
  { path, kind }: { readonly path: string; readonly kind: SourceKind },
  { folder, signal }: Task,
): Promise<Pick<Video, 'path' | 'kind' | 'movie' | 'size' | 'capture'>> {
  if (kind === 'webp') return { path, kind }
  const source = await openFile(path)
  const { movie, tags, isEncrypted, isStill, writtenOut } = await refusals(surveyVideo(source, signal))
  if (isEncrypted) throw encrypted()
  if (isStill) throw stillImage()
  const known = { kind, movie, size: source.size, capture: () => tags && captureOfMovie(tags) }
  if (!writtenOut) return { path, ...known }
  return {
    path: await folder.write('written-out', abortable(bytesOfParts(writtenOut, source), signal)),
    ...known,
  }
}

/** The moment that a picture shows, in seconds of a video. */
function stillSeconds(timeUs: number | undefined, videoSeconds = 0): number | undefined {
  return timeUs === undefined ? undefined : Math.min(timeUs / 1e6, Math.max(0, videoSeconds - 1 / FPS))
}

/** The upload is to blame, as any other that has no video. */
function asBadUpload(error: unknown): never {
  if (!(error instanceof ServiceError) || !['unprocessable', 'unsupported-media'].includes(error.code))
    throw error
  const isStill = error.detail.startsWith('The file is a photo without a video')
  const refusal = isStill ? stillImage() : new ServiceError('invalid-request', error.detail)
  refusal.cause = error
  throw refusal
}
