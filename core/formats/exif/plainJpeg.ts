import { hasBytesAt } from '@lantern-room/base/bytes'
import { APP1, type Jpeg, segmentPayload, walkJpeg } from '../jpeg/jpeg'
import { isProfile, neededSegments, piecesOf } from '../jpeg/stripJpeg'
import { EXIF_MARK } from './exif'
import { readExif } from './readExif'

/** What matters of a JPEG that becomes the picture of a photo. */
export type PlainJpeg = NonNullable<ReturnType<typeof readPlainJpeg>>

/** Baseline, extended sequential, progressive. */
const COMMON_FRAMES = new Set([0xc0, 0xc1, 0xc2])

/**
 * Reads what matters of a JPEG that becomes the picture of a photo.
 * @returns undefined when the bytes are not one whole JPEG
 * @example
 * const { size, orientation } = readPlainJpeg(jpeg) ?? {}
 */
export function readPlainJpeg(bytes: Uint8Array) {
  const jpeg = walkJpeg(bytes)
  if (!jpeg?.frame || jpeg.end === undefined) return undefined
  const { width, height, components } = jpeg.frame
  if (width === 0 || height === 0) return undefined
  return {
    /** From SOI to EOI. */
    bytes: bytes.subarray(0, jpeg.end),
    /** The picture without metadata and profile, in pieces. */
    stripped: piecesOf(bytes, neededSegments(bytes, jpeg.frame, jpeg.segments, false)),
    /** Segments with its colour profile; none for sRGB. */
    profile: jpeg.segments
      .filter((segment) => isProfile(bytes, segment))
      .map(({ start, end }) => bytes.subarray(start, end)),
    /** Pixels as they are stored. */
    size: { width, height },
    /** The EXIF orientation, 1 to 8. */
    orientation: orientationOf(bytes, jpeg),
    /** Whether galleries can show it: grey or YCbCr, in Huffman code. */
    isCommon: components.length !== 4 && jpeg.segments.some(({ marker }) => COMMON_FRAMES.has(marker)),
  }
}

function orientationOf(bytes: Uint8Array, { segments }: Jpeg): number {
  const exif = segments
    .filter(({ marker }) => marker === APP1)
    .map((segment) => segmentPayload(bytes, segment))
    .find((payload) => hasBytesAt(payload, 0, EXIF_MARK))
  const orientation = exif && readExif(exif.subarray(EXIF_MARK.length))?.orientation
  return orientation !== undefined && orientation >= 1 && orientation <= 8 ? orientation : 1
}
