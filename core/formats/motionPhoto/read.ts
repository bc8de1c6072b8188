import { asciiBytes, hasBytesAt } from '@lantern-room/base/bytes'
import { readBoxAt } from '@lantern-room/mp4/boxes'
import { type Reading, readNow, type Sized, take } from '@lantern-room/mp4/source'
import { EXIF_MARK } from '../exif/exif'
import { APP2, MPF_MARK, readMpf } from '../exif/mpf'
import { type ExifSummary, readExif } from '../exif/readExif'
import { type MotionPhotoBox, readHeic } from '../heic/heic'
import { APP1, type Jpeg, type JpegSegment, readJpeg } from '../jpeg/jpeg'
import type { Size } from '../jpeg/jpegFrame'
import { decodeXmp, isClipItem, isMotionPhotoXmp, type MotionPhotoXmp, readXmpPacket } from '../xmp/readXmp'
import { XMP_MARK } from '../xmp/xmp'
import type { ClipPlace } from './clipFacts'
import { type HuaweiTail, readHuaweiTail } from './huawei'
import { CLIP_BLOCK_HEADER, MOTION_PHOTO_DATA, readSamsungTrailer, type SamsungTrailer } from './samsung'

export type MotionPhoto = {
  readonly format: 'jpeg' | 'heic'
  /** Bytes of the file. */
  readonly size: number
  /** Bytes of the primary image of a JPEG, SOI to EOI; undefined when the image is cut. */
  readonly primaryLength: number | undefined
  readonly frame: Size | undefined
  /** The segments of a JPEG; empty for a HEIC. */
  readonly segments: readonly JpegSegment[]
  readonly xmp: MotionPhotoXmp | undefined
  readonly exif: ExifSummary | undefined
  /** The images that a Multi-Picture Format index lists; undefined without one. */
  readonly mpf: ReturnType<typeof readMpf>
  /** The MP4 alone, without what follows it. Undefined when none is found. */
  readonly clip: ClipPlace | undefined
  readonly samsung: SamsungTrailer | undefined
  readonly huawei: HuaweiTail | undefined
  /** The box of a HEIC that holds the video. */
  readonly motionPhotoBox: MotionPhotoBox | undefined
}

/** Number of XMP packets that are read; a motion photo has one, some phones write a second. */
export const MAX_PACKETS = 8

/**
 * Reads a motion photo of any phone at hand. Never throws, whatever the bytes.
 * @returns undefined when the file is neither JPEG nor HEIC, or has no tags of a motion photo
 * @see docs/motion-photo.md, "Reading"
 */
export function readMotionPhoto(file: Uint8Array): MotionPhoto | undefined {
  const photo = readNow(readPhoto({ size: file.length }), file)
  return photo && isMarked(photo) ? photo : undefined
}

/**
 * Whether anything in the file says that it is a motion photo.
 * @example
 * const photo = readNow(readPhoto({ size: bytes.length }), bytes)
 * const isMotionPhoto = photo !== undefined && isMarked(photo)
 */
export function isMarked({ xmp, samsung, huawei, motionPhotoBox }: MotionPhoto): boolean {
  return (
    xmp !== undefined ||
    huawei !== undefined ||
    motionPhotoBox !== undefined ||
    samsung?.blocks.some((block) => block.type === MOTION_PHOTO_DATA) === true
  )
}

/**
 * Reads a photo that may be a motion photo of any phone: Google's container directory, the older MicroVideo, a Samsung
 * trailer, a Huawei tail or a box in a HEIC, whichever of them leads to an MP4. Work and memory are bounded.
 * @returns undefined when the file is neither JPEG nor HEIC
 * @example
 * const photo = readNow(readPhoto({ size: bytes.length }), bytes)
 * const clip = photo?.clip && bytes.subarray(photo.clip.offset, photo.clip.offset + photo.clip.length)
 */
export function* readPhoto(file: Sized): Reading<MotionPhoto | undefined> {
  const jpeg = yield* readJpeg(file)
  return jpeg ? yield* readJpegPhoto(file, jpeg) : yield* readHeicPhoto(file)
}

function* readJpegPhoto(file: Sized, jpeg: Jpeg): Reading<MotionPhoto> {
  const samsung = yield* readSamsungTrailer(file)
  const huawei = yield* readHuaweiTail(file)
  const packets = yield* payloadsOf(file, jpeg, APP1, XMP_MARK, MAX_PACKETS)
  const [exif] = yield* payloadsOf(file, jpeg, APP1, EXIF_MARK, 1)
  const [mpf] = yield* payloadsOf(file, jpeg, APP2, MPF_MARK, 1)
  const marks = {
    xmp: packets.map((payload) => readXmpPacket(decodeXmp(payload))).find(isMotionPhotoXmp),
    samsung,
    huawei,
    motionPhotoBox: undefined,
    primaryLength: jpeg.end,
  }
  return {
    ...marks,
    format: 'jpeg',
    size: file.size,
    frame: jpeg.frame,
    segments: jpeg.segments,
    exif: exif && readExif(exif),
    mpf: mpf && readMpf(mpf),
    clip: yield* findClip(file, marks),
  }
}

function* readHeicPhoto(file: Sized): Reading<MotionPhoto | undefined> {
  const heic = yield* readHeic(file)
  if (!heic) return undefined
  const xmp = heic.xmp === undefined ? undefined : readXmpPacket(heic.xmp)
  const marks = {
    xmp: xmp && isMotionPhotoXmp(xmp) ? xmp : undefined,
    samsung: yield* readSamsungTrailer(file),
    huawei: undefined,
    motionPhotoBox: heic.motionPhotoBox,
    primaryLength: undefined,
  }
  return {
    ...marks,
    format: 'heic',
    size: file.size,
    frame: heic.frame,
    segments: [],
    exif: heic.exif && readExif(heic.exif),
    mpf: undefined,
    clip: yield* findClip(file, marks),
  }
}

/** What follows `mark` in each segment of this marker that begins with it, in the first `maxCount` of them. */
function* payloadsOf(
  file: Sized,
  jpeg: Jpeg,
  marker: number,
  mark: Uint8Array,
  maxCount: number,
): Reading<Uint8Array[]> {
  const payloads: Uint8Array[] = []
  for (const segment of jpeg.segments) {
    if (segment.marker !== marker || payloads.length === maxCount) continue
    const payload = yield* take(file, segment.start + 4, segment.end)
    if (hasBytesAt(payload, 0, mark)) payloads.push(payload.subarray(mark.length))
  }
  return payloads
}

type Marks = Pick<MotionPhoto, 'primaryLength' | 'xmp' | 'samsung' | 'huawei' | 'motionPhotoBox'>

/** The first offset that the tags give and at which an MP4 really begins. */
function* findClip(file: Sized, marks: Marks): Reading<MotionPhoto['clip']> {
  for (const offset of clipCandidates(file.size, marks)) {
    const head = yield* take(file, offset, offset + 8)
    if (!hasBytesAt(head, 4, asciiBytes('ftyp'))) continue
    // A `free` box that wraps a Samsung trailer reaches beyond its directory, so it does not count as the clip's.
    const end = marks.motionPhotoBox?.end ?? marks.samsung?.directoryOffset ?? file.size
    const length = yield* clipLength(file, offset, end)
    return length > 0 ? { offset, length } : undefined
  }
  return undefined
}

function clipCandidates(fileLength: number, marks: Marks): number[] {
  const { primaryLength, xmp, samsung, huawei, motionPhotoBox } = marks
  const samsungClip = samsung?.blocks.find((block) => block.type === MOTION_PHOTO_DATA)
  const items = xmp?.items ?? []
  const clipAt = items.findIndex(isClipItem)
  const lengthFromEnd = items[clipAt]?.length
  // Some phones' lengths do not lead back from the end (OPPO's are too short), yet lead forward from the image.
  const before = items.slice(0, Math.max(clipAt, 0))
  const lengths = before.reduce((bytes, item) => bytes + (item.length ?? 0), 0)
  const paddings = before.reduce((bytes, item) => bytes + (item.padding ?? 0), 0)
  const after = (bytes: number) => (primaryLength === undefined ? undefined : primaryLength + bytes)
  const candidates = [
    motionPhotoBox?.start,
    lengthFromEnd === undefined ? undefined : fileLength - lengthFromEnd,
    xmp?.microVideoOffset === undefined ? undefined : fileLength - xmp.microVideoOffset,
    samsungClip?.offset,
    huawei?.clipOffset,
    after(lengths + paddings),
    // The padding stands on the primary item and on the last picture alike.
    after(lengths + (before.at(-1)?.padding ?? 0)),
    primaryLength,
    after(CLIP_BLOCK_HEADER.length),
  ]
  return candidates.filter((at): at is number => at !== undefined && at >= 0)
}

/** What lies at the top level of an MP4 or MOV. Other types are a phone's own blocks, or no box at all. */
const MOVIE_BOXES = new Set('ftyp styp moov mdat moof mfra sidx free skip wide meta udta uuid'.split(' '))

const MAX_MOVIE_BOXES = 65_536

/** Bytes of the MP4 that begins at `start`: box after box, until no whole box of it follows. 0 of one without samples. */
export function* clipLength(file: Sized, start: number, end: number): Reading<number> {
  let at = start
  let hasSamples = false
  for (let i = 0; i < MAX_MOVIE_BOXES; i++) {
    const box = yield* readBoxAt(file, at, end)
    if (!box || !MOVIE_BOXES.has(box.type)) break
    // A second file type begins a second file: some phones add a short silent video.
    if (box.type === 'ftyp' && at > start) break
    hasSamples ||= box.type === 'mdat'
    at += box.size
  }
  return hasSamples ? at - start : 0
}
