import { hasBytesAt } from '@lantern-room/base/bytes'
import { type Reading, readNow, type Sized, take } from '@lantern-room/mp4/source'
import { EXIF_MARK } from '../exif/exif'
import { APP2, MPF_MARK, readMpf } from '../exif/mpf'
import { type ExifSummary, readExif } from '../exif/readExif'
import { type MotionPhotoBox, readHeic } from '../heic/heic'
import { APP1, type Jpeg, type JpegSegment, readJpeg } from '../jpeg/jpeg'
import type { Size } from '../jpeg/jpegFrame'
import { decodeXmp, isMotionPhotoXmp, type MotionPhotoXmp, readXmpPacket } from '../xmp/readXmp'
import { XMP_MARK } from '../xmp/xmp'
import type { ClipPlace } from './clipFacts'
import { findClip, isMarkedBy } from './findClip'
import { type HuaweiTail, readHuaweiTail } from './huawei'
import { readSamsungTrailer, type SamsungTrailer } from './samsung'

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
export function isMarked(photo: MotionPhoto): boolean {
  return isMarkedBy(photo)
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
