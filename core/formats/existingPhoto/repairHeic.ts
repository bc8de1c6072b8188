import { latin1 } from '@lantern-room/base/bytes'
import { encodeBoxHeader, readBoxesBetween, uint32s } from '@lantern-room/mp4/boxes'
import {
  type FileParts,
  FormatError,
  type Reading,
  type Sized,
  sizeOfParts,
  take,
} from '@lantern-room/mp4/source'
import { type Heic, readHeic } from '../heic/heic'
import { replaceItems } from '../heic/replaceItems'
import type { ClipPlace } from '../motionPhoto/clipFacts'
import type { MotionPhoto } from '../motionPhoto/read'
import {
  encodeHeicTrailer,
  HEIC_CLIP_MARK,
  MOTION_PHOTO_DATA,
  type SamsungBlock,
} from '../motionPhoto/samsung'
import { type MotionPhotoProfile, PROFILE_TRAITS } from '../profiles/profile'
import { patchXmp } from '../xmp/patchXmp'
import type { DirectoryItem } from '../xmp/xmp'

export type HeicTarget = {
  readonly profile: MotionPhotoProfile
  readonly presentationTimestampUs: number
  readonly others: readonly DirectoryItem[]
  /** The bytes of the clip. */
  readonly video: FileParts
  /** EXIF with the marks of the profile; undefined = as it is. */
  readonly exifWithMarks: (exif: Uint8Array) => Uint8Array | undefined
}

const BOX_HEADER = 8
const MAX_BOX_BYTES = 0xffffffff

/**
 * Plans a HEIC whose XMP, EXIF and box `mpvd` are right. The pictures stay where they are; the box is the last one, and holds the
 * clip and Samsung's directory, as the phones write it.
 * @param photo a HEIC with a clip
 * @throws FormatError `irreparable` with the reason why it cannot be mended
 * @see Motion Photo format 1.0, "ISO base media file format-specific behavior"; docs/motion-photo.md, "Repair"
 */
export function* planHeicRepair(
  file: Sized,
  { clip, motionPhotoBox, samsung }: MotionPhoto & { readonly clip: ClipPlace },
  target: HeicTarget,
): Reading<FileParts> {
  const { trailer } = PROFILE_TRAITS[target.profile]
  if (trailer === 'huawei')
    throw cannotBeMended('A HEIC has no place for the tail of the profile huawei: choose another profile.')
  const clipEnd = clip.offset + clip.length
  const picturesEnd = motionPhotoBox?.boxStart ?? clip.offset
  const isLast = (motionPhotoBox?.start ?? clip.offset) === clip.offset && (yield* isTail(file, clipEnd))
  const heic = yield* readHeic(file)
  if (!isLast) throw cannotBeMended('Its video is not the last thing in it.')
  if (!hasXmp(heic)) throw cannotBeMended('It is a HEIC without XMP, and its index has no room for one.')

  const block = samsung?.blocks.find(({ type }) => type === MOTION_PHOTO_DATA)
  const isMissing = trailer === 'samsung' && !block && clipEnd === file.size
  const tailBytes = isMissing ? encodeHeicTrailer({ offset: 0, length: 0 }).length : file.size - clipEnd
  const boxBytes = BOX_HEADER + clip.length + tailBytes
  if (boxBytes > MAX_BOX_BYTES) throw cannotBeMended('Its video is larger than 4 GiB.')
  const xmp = patchXmp(heic.xmp, {
    profile: target.profile,
    presentationTimestampUs: target.presentationTimestampUs,
    others: target.others,
    pictureType: latin1(yield* take(file, 8, 11)) === 'avi' ? 'image/avif' : 'image/heic',
    paddingBytes: BOX_HEADER,
    clipBytes: clip.length,
    tailBytes: clip.length + tailBytes,
  })
  if (xmp === undefined) throw cannotBeMended('Its XMP is not written in a way that can be changed.')
  const exif = heic.exif && target.exifWithMarks(heic.exif)
  const pictures = replaceItems(heic, { xmp: xmp === heic.xmp ? undefined : xmp, exif }, picturesEnd)
  if (!pictures) throw cannotBeMended('Its index of items (iloc) has no room for what is missing.')

  const moved = { offset: sizeOfParts(pictures) + BOX_HEADER, length: clip.length }
  const tail = isMissing ? [encodeHeicTrailer(moved)] : yield* movedTail(file, clipEnd, block, moved)
  return [...pictures, encodeBoxHeader('mpvd', boxBytes), ...target.video, ...tail]
}

/** An item that was just added is empty. */
function hasXmp(heic: Heic | undefined): heic is Heic {
  return Boolean(heic?.xmp) || heic?.xmpItem?.length === 0
}

/** Whether nothing but Samsung's directory and empty space follows, in boxes or not. */
function* isTail(file: Sized, start: number): Reading<boolean> {
  const boxes = yield* readBoxesBetween(file, { start, end: file.size, maxCount: 16 })
  return boxes.every(({ type }) => type === 'sefd' || type === 'free' || type === 'skip')
}

/** What followed the clip, where Samsung's block says where that is now. */
function* movedTail(
  file: Sized,
  start: number,
  block: SamsungBlock | undefined,
  clip: ClipPlace,
): Reading<FileParts> {
  const kept = { start, end: file.size }
  if (block?.length !== 12 || block.offset < start) return start === file.size ? [] : [kept]
  const old = yield* take(file, block.offset, block.offset + 4)
  if (latin1(old) !== HEIC_CLIP_MARK) return [kept]
  const place = block.offset + HEIC_CLIP_MARK.length
  return [{ start, end: place }, uint32s(clip.offset, clip.length), { start: place + 8, end: file.size }]
}

export function cannotBeMended(reason: string): FormatError {
  return new FormatError('irreparable', `The file cannot be mended. ${reason}`)
}
