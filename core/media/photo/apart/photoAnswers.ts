import { randomUUID } from 'node:crypto'
import { ServiceError } from '@lantern-room/base'
import { sizedStream } from '@lantern-room/base/bytes'
import type { Caller } from '@lantern-room/clients'
import type { MotionPhoto } from '@lantern-room/formats'
import { wallClock } from '@lantern-room/formats'
import { extractFile, inspectFile, repairFile } from '@lantern-room/formats/files'
import {
  MOTION_PHOTO_PROFILES,
  type MotionPhotoProfile,
  motionPhotoProfileNamed,
} from '@lantern-room/formats/make'
import { parseMoment, photoBaseName } from '@lantern-room/formats/time'
import { bytesOfParts, type FileParts, readFrom, sizeOfParts } from '@lantern-room/mp4/source'
import { refusals } from '#media/formatRefusal'
import type { MediaParts } from '#media/parts'
import type { FileRequest } from '#media/preview/receiveSource'
import { type Animation, animate, EXTRACTS } from './animate'
import { describeInspection, type InspectionSummary } from './describeInspection'
import { type OpenPhotoDependencies, openPhoto, type ReceivedPhoto } from './openPhoto'

type PhotoDependencies = OpenPhotoDependencies & Pick<MediaParts, 'ffmpeg' | 'jobs'>

/** Judges the photo in a request. @throws ServiceError as `openPhoto` and `inspectFile` */
export async function inspectPhoto(
  dependencies: PhotoDependencies,
  request: FileRequest,
  caller: Caller,
): Promise<InspectionSummary> {
  const photo = await openPhoto(dependencies, request, caller)
  try {
    const { source, caller: own } = photo
    return describeInspection(await refusals(readFrom(inspectFile(source), source, own.signal)))
  } finally {
    await photo.close()
  }
}

/** Takes still, clip or an animation out of the photo in a request. @throws ServiceError as `openPhoto`, `extractClip`, `animate` */
export function extractPhoto(
  dependencies: PhotoDependencies,
  request: FileRequest,
  caller: Caller,
): Promise<PhotoFile> {
  return answerFile(dependencies, request, caller, async (photo) => {
    const what = oneOf(photo.fields.get('what'), 'what', EXTRACTS, 'clip')
    const isStill = what === 'still'
    const reading = extractFile(photo.source, isStill ? 'still' : 'clip')
    const { parts, mediaType, inspection } = await refusals(
      readFrom(reading, photo.source, photo.caller.signal),
    )
    const name = photoName(inspection.photo)
    if (isStill) return { ...pictureNamed(inspection.photo.format, name), parts }
    const ending = mediaType === 'video/mp4' ? 'mp4' : 'mov'
    if (what === 'clip') return { mediaType, name: `${name}.${ending}`, parts }
    const bytes = await animation(dependencies, photo, parts, what)
    return { name: `${name}.${what}`, mediaType: `image/${what}`, parts: [bytes] }
  })
}

/** Mends the photo in a request. @throws ServiceError as `openPhoto` and `repairFile` */
export function repairPhoto(
  dependencies: PhotoDependencies,
  request: FileRequest,
  caller: Caller,
): Promise<PhotoFile> {
  return answerFile(dependencies, request, caller, async (photo) => {
    const given = photo.fields.get('profile')
    const profile: MotionPhotoProfile | undefined = given
      ? oneOf(motionPhotoProfileNamed(given) ?? given, 'profile', MOTION_PHOTO_PROFILES, 'universal')
      : undefined
    const reading = repairFile(photo.source, { profile, newIdentifier: randomUUID().toUpperCase() })
    const { parts, after, files } = await refusals(readFrom(reading, photo.source, photo.caller.signal))
    const name = photoName(after.photo)
    return files
      ? { mediaType: 'application/zip', name: `${name}.zip`, parts }
      : { ...pictureNamed(after.photo.format, `${name}_MP`), parts }
  })
}

function pictureNamed(format: 'jpeg' | 'heic', name: string): Pick<MadeFile, 'name' | 'mediaType'> {
  return { mediaType: `image/${format}`, name: `${name}.${format === 'heic' ? 'heic' : 'jpg'}` }
}

/** Keeps the photo until the answer is sent, or removes it at once when there is none. */
async function answerFile(
  dependencies: PhotoDependencies,
  request: FileRequest,
  caller: Caller,
  work: (photo: ReceivedPhoto) => Promise<MadeFile>,
): Promise<PhotoFile> {
  const photo = await openPhoto(dependencies, request, caller)
  try {
    const { parts, ...named } = await work(photo)
    const bytes: AsyncIterator<Uint8Array, void> = bytesOfParts(parts, photo.source)
    const read = async () => (await bytes.next()).value ?? cutPhoto()
    const size = sizeOfParts(parts)
    return { ...named, size, body: sizedStream(size, { read, close: photo.close }) }
  } catch (error) {
    await photo.close()
    throw error
  }
}

/** A clip of a photo is some megabytes; this one is written to a file of its own. */
const MAX_ANIMATED_BYTES = 128 * 1024 * 1024

async function animation(
  dependencies: PhotoDependencies,
  { source, folder, caller: { client, signal } }: ReceivedPhoto,
  parts: FileParts,
  kind: Animation,
): Promise<Uint8Array> {
  if (sizeOfParts(parts) > MAX_ANIMATED_BYTES) {
    throw new ServiceError(
      'payload-too-large',
      `The video in the photo is larger than ${MAX_ANIMATED_BYTES} bytes. Ask for what=clip to get it as it is.`,
    )
  }
  const path = await folder.write('clip.mp4', bytesOfParts(parts, source))
  return dependencies.jobs.run({ kind: 'convert', client, signal }, () =>
    animate(dependencies, path, kind, signal),
  )
}

function oneOf<Word extends string>(
  given: string | undefined,
  field: string,
  words: readonly Word[],
  fallback: Word,
): Word {
  const word = words.find((known) => known === (given || fallback))
  if (word !== undefined) return word
  throw new ServiceError('unprocessable', `${field} must be one of ${words.join(', ')}.`)
}

type MadeFile = { readonly name: string; readonly mediaType: string; readonly parts: FileParts }

/** A file to be sent. `body` must be read to its end or cancelled; only then are temporary files removed. */
export type PhotoFile = Omit<MadeFile, 'parts'> & {
  readonly size: number
  readonly body: ReadableStream<Uint8Array>
}

function cutPhoto(): never {
  throw new RangeError('The photo has fewer bytes than its parts.')
}

/** `IMG_YYYYMMDD_HHMMSS` by the time in its EXIF, as phones name photos. */
function photoName({ exif }: MotionPhoto): string {
  const time = parseMoment(exif?.dateTimeOriginal ?? exif?.dateTime ?? '')
  return time ? photoBaseName(wallClock(new Date(time.unixMs), 0)) : 'photo'
}
