import { asciiBytes, hasBytesAt } from '#core/bytes'
import { readBoxHeader } from '../mp4/boxes'
import { EXIF_MARK } from './exif'
import { APP1, type Jpeg, type JpegFrame, segmentPayload, walkJpeg } from './jpeg'
import { APP2, MPF_MARK, type MpfImage, readMpf } from './mpf'
import { type ExifSummary, readExif } from './readExif'
import { isClipItem, isMotionPhotoXmp, type MotionPhotoXmp, readXmpPacket } from './readXmp'
import { MOTION_PHOTO_DATA, readSamsungTrailer, type SamsungTrailer } from './samsung'
import { XMP_MARK } from './xmp'

export type MotionPhoto = {
  /** Bytes of the primary image, SOI to EOI; undefined when the image is cut. */
  readonly primaryLength: number | undefined
  readonly frame: JpegFrame | undefined
  readonly xmp: MotionPhotoXmp | undefined
  readonly exif: ExifSummary | undefined
  /** The images that a Multi-Picture Format index lists; undefined without one. */
  readonly mpf: readonly MpfImage[] | undefined
  /** The MP4 alone, without what follows it. Undefined when the file's tags announce one and none is found. */
  readonly clip: { readonly offset: number; readonly length: number } | undefined
  readonly samsung: SamsungTrailer | undefined
}

/** Number of XMP packets that are read; a motion photo has one, some phones write a second. */
const MAX_PACKETS = 8

/**
 * Reads a motion photo of any phone: Google's container directory, the older MicroVideo, or Samsung's trailer, whichever
 * of them leads to an MP4. Never throws, whatever the bytes; work and memory are bounded by their length.
 * @returns undefined when the file is no JPEG, or has no tags of a motion photo
 * @see docs/motion-photo.md, "Reading"
 */
export function readMotionPhoto(file: Uint8Array): MotionPhoto | undefined {
  const jpeg = walkJpeg(file)
  if (!jpeg) return undefined
  const samsung = readSamsungTrailer(file)
  const xmp = findXmp(file, jpeg)
  const isMarked = xmp !== undefined || samsung?.blocks.some((block) => block.type === MOTION_PHOTO_DATA)
  if (!isMarked) return undefined
  return {
    primaryLength: jpeg.end,
    frame: jpeg.frame,
    xmp,
    exif: findExif(file, jpeg),
    mpf: findMpf(file, jpeg),
    clip: findClip(file, { primaryLength: jpeg.end, xmp, samsung }),
    samsung,
  }
}

function findXmp(file: Uint8Array, jpeg: Jpeg): MotionPhotoXmp | undefined {
  return payloadsOf(file, jpeg, APP1, XMP_MARK)
    .slice(0, MAX_PACKETS)
    .map((payload) => readXmpPacket(new TextDecoder().decode(payload)))
    .find(isMotionPhotoXmp)
}

function findExif(file: Uint8Array, jpeg: Jpeg): ExifSummary | undefined {
  const [tiff] = payloadsOf(file, jpeg, APP1, EXIF_MARK)
  return tiff && readExif(tiff)
}

function findMpf(file: Uint8Array, jpeg: Jpeg): readonly MpfImage[] | undefined {
  const [index] = payloadsOf(file, jpeg, APP2, MPF_MARK)
  return index && readMpf(index)
}

/** What follows `mark` in each segment of this marker that begins with it. */
function payloadsOf(file: Uint8Array, jpeg: Jpeg, marker: number, mark: Uint8Array): Uint8Array[] {
  return jpeg.segments
    .filter((segment) => segment.marker === marker && hasBytesAt(file, segment.start + 4, mark))
    .map((segment) => segmentPayload(file, segment).subarray(mark.length))
}

type Marks = {
  readonly primaryLength: number | undefined
  readonly xmp: MotionPhotoXmp | undefined
  readonly samsung: SamsungTrailer | undefined
}

/** The first offset that the tags give and at which an MP4 really begins. */
function findClip(file: Uint8Array, marks: Marks): MotionPhoto['clip'] {
  const offset = clipCandidates(file.length, marks).find((at) => hasBytesAt(file, at + 4, asciiBytes('ftyp')))
  if (offset === undefined) return undefined
  // A `free` box that wraps a Samsung trailer reaches beyond its directory, so it does not count as the clip's.
  const length = clipLength(file.subarray(0, marks.samsung?.directoryOffset), offset)
  return length > 0 ? { offset, length } : undefined
}

function clipCandidates(fileLength: number, { primaryLength, xmp, samsung }: Marks): number[] {
  const samsungClip = samsung?.blocks.find((block) => block.type === MOTION_PHOTO_DATA)
  const items = xmp?.items ?? []
  const clipAt = items.findIndex(isClipItem)
  const lengthFromEnd = items[clipAt]?.length
  // Some phones' lengths do not lead back from the end (OPPO's are too short), yet lead forward from the image.
  const skipped = items
    .slice(0, Math.max(clipAt, 0))
    .reduce((bytes, item) => bytes + (item.length ?? 0) + (item.padding ?? 0), 0)
  const candidates = [
    lengthFromEnd === undefined ? undefined : fileLength - lengthFromEnd,
    xmp?.microVideoOffset === undefined ? undefined : fileLength - xmp.microVideoOffset,
    samsungClip?.offset,
    primaryLength === undefined ? undefined : primaryLength + skipped,
    primaryLength,
  ]
  return candidates.filter((at): at is number => at !== undefined && at >= 0)
}

/** What lies at the top level of an MP4 or MOV. Other types are a phone's own blocks, or no box at all. */
const MOVIE_BOXES = new Set('ftyp styp moov mdat moof mfra sidx free skip wide meta udta uuid'.split(' '))

const MAX_MOVIE_BOXES = 65_536

/** Bytes of the MP4 that begins at `start`: box after box, until no whole box of it follows. */
function clipLength(file: Uint8Array, start: number): number {
  let end = start
  for (let i = 0; i < MAX_MOVIE_BOXES; i++) {
    const header = readBoxHeader(file, end)
    if (!header || !MOVIE_BOXES.has(header.type) || end + header.size > file.length) break
    // A second file type begins a second file: some phones add a short silent video.
    if (header.type === 'ftyp' && end > start) break
    end += header.size
  }
  return end - start
}
