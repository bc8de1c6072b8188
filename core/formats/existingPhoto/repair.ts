import { hasBytesAt } from '@lantern-room/base/bytes'
import type { FormatError } from '@lantern-room/mp4/source'
import {
  type FileParts,
  type Reading,
  readThrough,
  type Sized,
  sizeOfParts,
  take,
} from '@lantern-room/mp4/source'
import { patchExif } from '../exif/patchExif'
import { type ClipFacts, type ClipPlace, clipParts } from '../motionPhoto/clipFacts'
import { CHECKS, commentFor } from '../motionPhoto/galleries'
import { coverFrameOf, encodeHuaweiTail, HUAWEI_TAIL_SIZE } from '../motionPhoto/huawei'
import { changeHeader, readImageHeader } from '../motionPhoto/imageHeader'
import { type Inspection, inspect } from '../motionPhoto/inspect'
import { gainMapAmong, otherPictures } from '../motionPhoto/otherPictures'
import { givenMomentUs } from '../motionPhoto/presentation'
import type { MotionPhoto } from '../motionPhoto/read'
import {
  CLIP_BLOCK_HEADER,
  encodeWrappedTrailer,
  MOTION_PHOTO_DATA,
  MOTION_PHOTO_VERSION,
} from '../motionPhoto/samsung'
import { type MotionPhotoProfile, PROFILE_TRAITS } from '../profiles/profile'
import { patchXmp } from '../xmp/patchXmp'
import { type ContainerItem, isClipItem, readXmpPacket } from '../xmp/readXmp'
import type { DirectoryItem } from '../xmp/xmp'
import { cannotBeMended, planHeicRepair } from './repairHeic'

export type Repair = {
  /** The mended file, made of the old one and of new bytes. */
  readonly parts: FileParts
  readonly size: number
  readonly before: Inspection
  readonly after: Inspection
}

type WithClip = MotionPhoto & { readonly clip: ClipPlace }
/** A JPEG of which everything that a repair needs is there. */
type Mendable = WithClip & { readonly primaryLength: number }

/**
 * Plans a file whose lengths, offsets and marks are right. No pixel and no frame changes: the image's scan data, the clip
 * but for a sample entry that Apple's programs refuse, and all other metadata are copied. A file in which nothing is wrong comes out as it is.
 * @param momentUs that the picture shows, in microseconds. @default what the file says, or the middle
 * @throws FormatError as `inspect`; `irreparable` when it cannot be mended, with the reason for each gallery
 * @example
 * const { parts, after } = await readFrom(planRepair(source, 'universal'), source)
 */
export function* planRepair(file: Sized, profile: MotionPhotoProfile, momentUs?: number): Reading<Repair> {
  const before = yield* inspect(file)
  const { photo, clip } = before
  if (!clip || !photo.clip) throw beyondRepair(before)
  const plan = photo.format === 'heic' ? planHeic : planJpeg
  const parts = yield* plan(file, { ...photo, clip: photo.clip }, { profile, clip, momentUs })
  if (!parts) throw beyondRepair(before)
  const size = sizeOfParts(parts)
  return { parts, size, before, after: yield* readThrough(inspect({ size }), parts) }
}

type Target = {
  readonly profile: MotionPhotoProfile
  readonly clip: ClipFacts
  readonly momentUs: number | undefined
}

function planHeic(file: Sized, photo: WithClip, target: Target): Reading<FileParts> {
  const { profile, clip } = target
  return planHeicRepair(file, photo, {
    profile,
    presentationTimestampUs: coverTime(photo, target),
    others: otherItems(photo),
    video: clipParts(photo.clip, clip),
    exifWithMarks: (exif) => (PROFILE_TRAITS[profile].xiaomiTag ? marksIn(exif, photo) : undefined),
  })
}

function* planJpeg(file: Sized, photo: WithClip, target: Target): Reading<FileParts | undefined> {
  if (!isMendable(photo)) return undefined
  const { profile, clip } = target
  const frame = yield* planFrame(file, photo, target)
  const header = yield* readImageHeader(file, photo.segments)
  const others = otherItems(photo)
  const paddingBytes = sizeOfParts(frame.beforeClip) - others.reduce((bytes, { length }) => bytes + length, 0)
  if (paddingBytes < 0)
    throw cannotBeMended('The lengths of the other pictures in its directory do not add up.')
  const xmp = patchXmp(header.metadata.xmp, {
    profile,
    presentationTimestampUs: coverTime(photo, target),
    others,
    paddingBytes,
    clipBytes: photo.clip.length,
    tailBytes: photo.clip.length + sizeOfParts(frame.afterClip),
  })
  if (xmp === undefined) throw cannotBeMended('Its XMP is not written in a way that can be changed.')
  const { xiaomiTag, mpf } = PROFILE_TRAITS[profile]
  const items = header.metadata.xmp === undefined ? [] : readXmpPacket(header.metadata.xmp).items
  const gainMap = gainMapAmong(yield* otherPictures(file, photo, header, items))
  const image = changeHeader(header, photo.primaryLength, {
    exif: xiaomiTag ? marksIn(header.metadata.exif, photo) : undefined,
    xmp: xmp === header.metadata.xmp ? undefined : xmp,
    mpf: !photo.mpf && gainMap?.start === photo.primaryLength ? gainMap.end - gainMap.start : mpf,
  })
  if (!image) throw cannotBeMended('Its EXIF or XMP has no room for what is missing.')
  return [...image, ...frame.beforeClip, ...clipParts(photo.clip, clip), ...frame.afterClip]
}

function isMendable(photo: WithClip): photo is Mendable {
  return photo.primaryLength !== undefined && photo.clip.offset >= photo.primaryLength
}

type ClipFrame = { readonly beforeClip: FileParts; readonly afterClip: FileParts }

/** The bytes around the clip. Data of the phone's own, in formats that are not public, is kept. */
function* planFrame(file: Sized, photo: Mendable, target: Target): Reading<ClipFrame> {
  const { clip, primaryLength, size } = photo
  const clipEnd = clip.offset + clip.length
  const kept: ClipFrame = {
    beforeClip: [{ start: primaryLength, end: clip.offset }],
    afterClip: [{ start: clipEnd, end: size }],
  }
  const wanted = PROFILE_TRAITS[target.profile].trailer
  const isThere = wanted && CHECKS[TRAILER_CHECKS[wanted]]({ photo, clip: undefined })
  if (wanted === undefined || isThere || !isReplaceable(photo, wanted)) return kept
  const headerAt = clip.offset - CLIP_BLOCK_HEADER.length
  const hasHeader =
    headerAt >= primaryLength && hasBytesAt(yield* take(file, headerAt, clip.offset), 0, CLIP_BLOCK_HEADER)
  const before = { start: primaryLength, end: hasHeader ? headerAt : clip.offset }
  if (wanted === 'samsung')
    return { beforeClip: [before, CLIP_BLOCK_HEADER], afterClip: [encodeWrappedTrailer(clip.length)] }
  const coverFrame = coverFrameOf(coverTime(photo, target), target.clip)
  return { beforeClip: [before], afterClip: [encodeHuaweiTail(clip.length, coverFrame)] }
}

const TRAILER_CHECKS = { samsung: 'samsung-block', huawei: 'huawei-tail' } as const

/** A directory that lists the clip alone, in a box. */
const MAX_OWN_TAIL = 256

/** Whether nothing would be lost with what follows the clip. */
function isReplaceable({ clip, samsung, huawei, size }: Mendable, wanted: 'samsung' | 'huawei'): boolean {
  const tailBytes = size - clip.offset - clip.length
  const own: readonly number[] = [MOTION_PHOTO_DATA, MOTION_PHOTO_VERSION]
  const isOwn = samsung?.blocks.every(({ type }) => own.includes(type)) === true
  // A tail of Huawei's that does not lead to the clip.
  if (huawei) return wanted === 'huawei' && tailBytes === HUAWEI_TAIL_SIZE
  return tailBytes === 0 || (isOwn && tailBytes <= MAX_OWN_TAIL)
}

function otherItems({ xmp, clip, size }: WithClip): DirectoryItem[] {
  const items = xmp?.items ?? []
  const clipAt = items.findIndex(isClipItem)
  const isOther = (item: ContainerItem) => item.semantic !== 'Primary' && !isClipItem(item)
  const listedAfter = items.slice(clipAt < 0 ? items.length : clipAt + 1).filter(isOther)
  const afterBytes = listedAfter.reduce((bytes, { length = 0 }) => bytes + length, 0)
  // Where the file has no room for them behind the video, they lie before it.
  if (listedAfter.length > 0 && afterBytes <= size - clip.offset - clip.length) {
    throw cannotBeMended('Its directory lists more after the video, which only its phone understands.')
  }
  return items.filter(isOther).map(({ mime = '', semantic = '', length = 0, padding = 0 }) => ({
    mime: plain(mime),
    semantic: plain(semantic),
    length: Math.max(0, length),
    padding: Math.max(0, padding),
  }))
}

/** Without what would end an XML attribute. */
const plain = (text: string) => text.replaceAll(/[<>&"']/g, '')

/** The moment of the picture, if it is given and lies in the clip, else the clip's middle frame. In microseconds. */
function coverTime(photo: MotionPhoto, { clip, momentUs }: Target): number {
  const { fps, frames } = clip
  const given = momentUs ?? givenMomentUs(photo, clip)
  if (given !== undefined) return given
  return fps > 0 ? Math.round((Math.floor(frames / 2) / fps) * 1e6) : 0
}

/** EXIF with the marks that it lacks; undefined when it has them all. */
function marksIn(exif: Uint8Array | undefined, { exif: read }: MotionPhoto): Uint8Array | undefined {
  const comment = commentFor(read?.userComment)
  if (read?.xiaomiMark === 'ExifIFD' && comment === undefined) return undefined
  return patchExif(exif, { isXiaomi: true, comment })
}

function beyondRepair({ photo, galleries }: Inspection): FormatError {
  if (photo.clip && photo.primaryLength === undefined) {
    return cannotBeMended('Its picture is cut or damaged. Its clip can be extracted.')
  }
  const reasons = galleries
    .map(({ gallery, problems }) => [gallery, problems.find(({ repair }) => repair === undefined)] as const)
    .flatMap(([gallery, problem]) => (problem ? [`${gallery}: ${problem.detail}`] : []))
  return cannotBeMended(reasons.join(' '))
}
