import { hasBytesAt } from '@lantern-room/base/bytes'
import { type ByteSpan, type Reading, type Sized, take } from '@lantern-room/mp4/source'
import { isHeicHead, readHeic, readMotionPhotoBox } from '../heic/heic'
import { APP1, EOI, readJpeg, SOI, SOS } from '../jpeg/jpeg'
import { decodeXmp, isMotionPhotoXmp, type MotionPhotoXmp, readXmpPacket } from '../xmp/readXmp'
import { XMP_MARK } from '../xmp/xmp'
import { findClipStart, isMarkedBy, type Marks } from './findClip'
import { readHuaweiTail } from './huawei'
import { readSamsungTrailer } from './samsung'

export type ClipStart = {
  readonly format: 'jpeg' | 'heic'
  /** Whether anything in the file says that it is a motion photo. Without a clip, such a one has lost it. */
  readonly isMarked: boolean
  /** Where an MP4 begins, and where it ends at the latest: `clipLength` says where it does. */
  readonly clip: ByteSpan | undefined
}

const NO_MARKS: Marks = {
  primaryLength: undefined,
  xmp: undefined,
  samsung: undefined,
  huawei: undefined,
  motionPhotoBox: undefined,
}

/**
 * Finds the clip that `readPhoto` finds, by as few bytes of the file as its marks allow: for readers over a network. The tags before the
 * picture come first, then what phones write at the end of a file. The picture itself is walked through only where a file is marked
 * and neither of them leads to an MP4.
 * @returns undefined when the file is neither JPEG nor HEIC
 * @example
 * const found = await readFrom(readClipStart(source), source)
 * if (found?.clip) play(await source.read(found.clip.start, found.clip.end))
 */
export function* readClipStart(file: Sized): Reading<ClipStart | undefined> {
  const head = yield* take(file, 0, 12)
  const isJpeg = head[0] === 0xff && head[1] === SOI
  if (!isJpeg && !isHeicHead(head)) return undefined
  const motionPhotoBox = isJpeg ? undefined : yield* readMotionPhotoBox(file)
  const format = isJpeg ? 'jpeg' : 'heic'

  let marks: Marks = { ...NO_MARKS, motionPhotoBox }
  let clip = yield* findClipStart(file, marks)
  if (!clip) {
    marks = { ...marks, xmp: isJpeg ? yield* readJpegXmp(file) : yield* readHeicXmp(file) }
    clip = yield* findClipStart(file, marks)
  }
  if (!clip) {
    marks = { ...marks, samsung: yield* readSamsungTrailer(file), huawei: yield* readHuaweiTail(file) }
    clip = yield* findClipStart(file, marks)
  }
  const isMarked = isMarkedBy(marks)
  if (!clip && isJpeg && isMarked) {
    marks = { ...marks, primaryLength: (yield* readJpeg(file))?.end }
    clip = yield* findClipStart(file, marks)
  }
  return { format, isMarked, clip }
}

function* readHeicXmp(file: Sized): Reading<MotionPhotoXmp | undefined> {
  const packet = (yield* readHeic(file))?.xmp
  const xmp = packet === undefined ? undefined : readXmpPacket(packet)
  return xmp && isMotionPhotoXmp(xmp) ? xmp : undefined
}

/** More segments than a phone writes before its picture. A long text of XMP alone takes dozens. */
const MAX_SEGMENTS = 2048

/** The first packet of a motion photo before the picture, by the headers of segments and by no other segment's bytes. */
function* readJpegXmp(file: Sized): Reading<MotionPhotoXmp | undefined> {
  for (let at = 2, count = 0; count < MAX_SEGMENTS; count++) {
    const head = yield* take(file, at, at + 4 + XMP_MARK.length)
    const [first, marker = EOI, high = 0, low = 0] = head
    // A fill byte.
    const isFill = marker === 0xff
    if (first !== 0xff || marker === SOS || marker === EOI) return undefined
    const end = isFill ? at + 1 : at + 2 + high * 256 + low
    if (marker === APP1 && hasBytesAt(head, 4, XMP_MARK)) {
      const xmp = readXmpPacket(decodeXmp(yield* take(file, at + 4 + XMP_MARK.length, end)))
      if (isMotionPhotoXmp(xmp)) return xmp
    }
    at = end
  }
  return undefined
}
