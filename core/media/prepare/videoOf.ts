import { abortable } from '#core/async/onAbort'
import { latin1 } from '#core/bytes'
import { ServiceError } from '#core/errors'
import type { ExifSummary } from '#core/formats/exif/readExif'
import { findLivePair } from '#core/formats/livePhoto/inspectLivePhoto'
import { readLiveMovie } from '#core/formats/livePhoto/liveMovie'
import { isZip } from '#core/formats/livePhoto/readZip'
import { openUnpacked } from '#core/formats/livePhoto/unpackZip'
import { type ClipFacts, readClip } from '#core/formats/motionPhoto/clipFacts'
import { extractClip } from '#core/formats/motionPhoto/extract'
import { givenMomentUs } from '#core/formats/motionPhoto/presentation'
import type { MotionPhoto } from '#core/formats/motionPhoto/read'
import type { Movie } from '#core/formats/mp4/movie'
import { surveyMovie } from '#core/formats/mp4/readIndex'
import { readApng } from '#core/formats/png/apng'
import { bytesOfParts, type FileParts, patchedParts, sizeOfParts } from '#core/formats/source/fileParts'
import { type ByteSpan, type Reading, readFrom, take, within } from '#core/formats/source/reading'
import { isPlausible, parseMoment } from '../capture/moment'
import { FPS } from '../frames'
import type { MediaParts } from '../parts'
import type { WorkFolder } from '../ports'
import { type CaptureTime, MAX_PICTURE_BYTES, type SourceKind, type SourceStill } from '../traits'
import { encrypted } from './explainRefusal'
import { stillImage, type UploadKind } from './sniff'

/** A file from which a preview can be made. */
export type Video = {
  readonly path: string
  readonly kind: SourceKind
  /** The index of an MP4 or MOV. */
  readonly movie?: Movie | undefined
  /** When the photo was taken in which the video was; more exact than what the video says. */
  readonly photoTime: CaptureTime | undefined
  /** The photo's own picture, a file of the folder. Undefined for what is no photo, and where the picture is cut or too large. */
  readonly still?: (SourceStill & { readonly path: string }) | undefined
}

type Task = { readonly folder: Pick<WorkFolder, 'write'>; readonly signal: AbortSignal }

/** The clip of a photo is some megabytes. */
const MAX_CLIP_BYTES = 128 * 1024 * 1024

/**
 * The video of an upload: itself, or the clip of a motion photo or Live Photo, which becomes a file of the folder as does
 * its picture.
 * @throws ServiceError `invalid-request` for a still image and what is no photo, `payload-too-large`
 */
export async function videoOf(
  openFile: MediaParts['openFile'],
  upload: { readonly path: string; readonly kind: UploadKind },
  { folder, signal }: Task,
): Promise<Video> {
  const { path, kind } = upload
  if (kind !== 'photo')
    return { ...(await readable(openFile, { path, kind }, { folder, signal })), photoTime: undefined }
  const source = await openUnpacked(await openFile(path), signal).catch(asBadUpload)
  const { parts, exif, picture } = await readFrom(findClip(source), source, signal).catch(asBadUpload)
  if (sizeOfParts(parts) > MAX_CLIP_BYTES) {
    throw new ServiceError(
      'payload-too-large',
      `The video in the photo is larger than ${MAX_CLIP_BYTES} bytes. Extract it, and send it by itself.`,
    )
  }
  const clip = await folder.write('unpacked.mp4', abortable(bytesOfParts(parts, source), signal))
  const still = picture && {
    path: await folder.write('still', abortable(bytesOfParts([picture.place], source), signal)),
    seconds: picture.seconds,
  }
  const video = await readable(openFile, { path: clip, kind: 'video' }, { folder, signal })
  return { ...video, photoTime: timeOf(exif), still }
}

/**
 * The file itself, or a copy in which what ffmpeg would read otherwise than players do is written out. That is rare.
 * @throws ServiceError `unsupported-media` when it is encrypted, `invalid-request` for a still PNG
 */
async function readable(
  openFile: MediaParts['openFile'],
  { path, kind }: { readonly path: string; readonly kind: SourceKind },
  { folder, signal }: Task,
): Promise<Pick<Video, 'path' | 'kind' | 'movie'>> {
  if (kind === 'webp') return { path, kind }
  const source = await openFile(path)
  const { movie, isEncrypted, patches } = await surveyMovie(source)
  if (isEncrypted) throw encrypted()
  const apng =
    latin1(await source.read(0, Math.min(4, source.size))) === '\x89PNG'
      ? await readFrom(readApng(source), source, signal)
      : undefined
  if (apng && !apng.isAnimated) throw stillImage()
  const changes = apng?.patches ?? patches
  if (changes.length === 0) return { path, kind, movie }
  const parts = patchedParts(source, changes)
  return {
    path: await folder.write('written-out', abortable(bytesOfParts(parts, source), signal)),
    kind,
    movie,
  }
}

type FoundClip = {
  readonly parts: FileParts
  readonly exif: ExifSummary | undefined
  readonly picture: (SourceStill & { readonly place: ByteSpan }) | undefined
}

function* findClip(file: { readonly size: number }): Reading<FoundClip> {
  if (isZip(yield* take(file, 0, 4))) return yield* findInPair(file)
  const { parts, inspection } = yield* extractClip(file)
  const { photo, clip } = inspection
  return {
    parts,
    exif: photo.exif,
    picture: pictureOf(photo, 0, { clip, timeUs: givenMomentUs(photo, clip) }),
  }
}

function* findInPair(file: { readonly size: number }): Reading<FoundClip> {
  const { photo, still, movie } = yield* findLivePair(file)
  const whole = { offset: 0, length: movie.size }
  const { clip } = yield* within(readClip({ size: movie.size }, whole), movie.start)
  const { stillTimeUs: timeUs } = yield* within(readLiveMovie({ size: movie.size }), movie.start)
  return {
    parts: [{ start: movie.start, end: movie.start + movie.size }],
    exif: photo.exif,
    picture: pictureOf(photo, still.start, { clip, timeUs }),
  }
}

/** @param start of the photo in the file */
function pictureOf(
  photo: MotionPhoto,
  start: number,
  { clip, timeUs }: { readonly clip: ClipFacts | undefined; readonly timeUs: number | undefined },
): FoundClip['picture'] {
  const { format, primaryLength, motionPhotoBox, size } = photo
  const ofHeic = motionPhotoBox?.boxStart ?? photo.clip?.offset ?? size
  const length = format === 'heic' ? ofHeic : primaryLength
  if (length === undefined || length > MAX_PICTURE_BYTES) return undefined
  const last = Math.max(0, (clip?.durationSeconds ?? 0) - 1 / FPS)
  return {
    place: { start, end: start + length },
    seconds: timeUs === undefined ? undefined : Math.min(timeUs / 1e6, last),
  }
}

/** Local time, with its offset if the photo says it. */
function timeOf(exif: ExifSummary | undefined): CaptureTime | undefined {
  const { dateTimeOriginal: written, subSecOriginal, offsetTime = '' } = exif ?? {}
  const fraction = /^\d{1,9}/.exec(subSecOriginal ?? '')
  const moment = written && parseMoment(`${written}${fraction ? `.${fraction[0]}` : ''}${offsetTime}`)
  if (!moment || !isPlausible(moment.unixMs)) return undefined
  return moment.offsetMinutes === undefined ? { ...moment, isLocal: true } : moment
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
