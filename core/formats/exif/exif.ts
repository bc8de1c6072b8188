import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { FormatError } from '@lantern-room/mp4/source'
import { APP1, encodeSegment } from '../jpeg/jpeg'
import { stripJpeg } from '../jpeg/stripJpeg'
import { encodeTiff, type PlainTag, type TiffTag } from './tiff'
import { exifDateTime, exifOffset, type WallClock } from './wallClock'

export const EXIF_MARK = asciiBytes('Exif\0\0')

/**
 * Xiaomi's EXIF tag for a motion photo: a BYTE of value 1 in ExifIFD, where Xiaomi's cameras write it. It is in no
 * standard, so validators report it.
 */
export const XIAOMI_MOTION_PHOTO_TAG = 0x8897

/**
 * The UserComment by which ColorOS recognises a live photo: the decimal flags of OPPO's camera, of which bit 23 (8388608)
 * stands for one.
 */
export const OPLUS_COMMENT = 'oplus_8388608'

export const MAKER_NOTE_TAG = 0x927c
export const USER_COMMENT_TAG = 0x9286

/** The character code that begins a UserComment in ASCII. */
const ASCII_COMMENT = 'ASCII\0\0\0'

/**
 * The largest thumbnail that is sure to fit into the one segment that EXIF may have. A larger one has to be encoded
 * smaller or at a lower quality before it comes here; 320 pixels at quality 80 are some 15 KB.
 */
export const MAX_THUMBNAIL_BYTES = 64_000

const MAX_SOFTWARE_LENGTH = 64

/** Degrees, north and east positive; metres above sea level. */
export type Place = {
  readonly latitude: number
  readonly longitude: number
  readonly altitude: number | undefined
}

/** What a photo says of itself. */
export type PhotoFields = {
  /** How the pixels must be turned to be shown, 1 to 8. @default 1: as they are */
  readonly orientation?: number | undefined
  /** A JPEG of at most `MAX_THUMBNAIL_BYTES`. Its own metadata is left out, as EXIF demands. */
  readonly thumbnail: Uint8Array
  /** Undefined: no date is written. */
  readonly takenAt: WallClock | undefined
  readonly place?: Place | undefined
  /** Printable ASCII, as is the next one. */
  readonly maker?: string | undefined
  readonly model?: string | undefined
  /** Program and version: 1–64 printable ASCII characters. */
  readonly software: string
}

export type ExifFields = PhotoFields & {
  /** The width of the cover, in pixels. */
  readonly width: number
  readonly height: number
  /** Whether the picture has a colour profile; otherwise its colours are sRGB. */
  readonly hasProfile?: boolean
  /** Whether to write Xiaomi's tag 0x8897, and the UserComment of OPPO's cameras. @default neither */
  readonly xiaomiTag?: boolean
  readonly oppoComment?: boolean
  /** The maker note of a phone. Its offsets must not depend on where it lies. */
  readonly makerNote?: Uint8Array
}

/**
 * The APP1 Exif segment of a motion photo, marker and length included, always shorter than 65,536 bytes.
 * @throws FormatError `invalid-part` when the thumbnail is no JPEG or too large, or `software` is invalid
 * @see CIPA DC-008 (Exif 2.32), 4.5–4.6; docs/motion-photo.md, "EXIF"
 */
export function encodeExifSegment(fields: ExifFields): Uint8Array {
  const thumbnail = stripJpeg(fields.thumbnail, { keepsProfile: false })
  if (!thumbnail) throw refusal('the thumbnail is not a whole JPEG')
  if (fields.thumbnail.length > MAX_THUMBNAIL_BYTES) {
    throw refusal(`the thumbnail is ${fields.thumbnail.length} bytes, more than ${MAX_THUMBNAIL_BYTES}`)
  }
  if (!/^[ -~]+$/.test(fields.software) || fields.software.length > MAX_SOFTWARE_LENGTH) {
    throw refusal('the software name is empty, too long, or not ASCII')
  }
  const tiff = encodeTiff([primaryTags(fields), thumbnailTags(thumbnail.bytes)])
  return encodeSegment(APP1, concatBytes([EXIF_MARK, tiff]))
}

/** 72 pixels per inch: meaningless, but mandatory in Exif. */
const RESOLUTION: readonly TiffTag[] = [
  { tag: 0x011a, rationals: [[72, 1]] },
  { tag: 0x011b, rationals: [[72, 1]] },
  { tag: 0x0128, short: 2 },
]

function primaryTags(fields: ExifFields): TiffTag[] {
  const { maker, model, takenAt, place } = fields
  return [
    ...(maker === undefined ? [] : [{ tag: 0x010f, ascii: maker }]), // Make
    ...(model === undefined ? [] : [{ tag: 0x0110, ascii: model }]), // Model
    { tag: 0x0112, short: fields.orientation ?? 1 }, // Orientation
    ...RESOLUTION,
    { tag: 0x0131, ascii: fields.software },
    ...(takenAt ? [{ tag: 0x0132, ascii: exifDateTime(takenAt) }] : []), // DateTime
    { tag: 0x0213, short: 1 }, // YCbCrPositioning: centred, as JPEG encoders do
    { tag: 0x8769, ifd: photoTags(fields) },
    ...(place ? [{ tag: 0x8825, ifd: gpsTags(place) }] : []), // GPS
  ]
}

/** The value of a UserComment in ASCII. */
export function userComment(text: string): Uint8Array {
  return asciiBytes(`${ASCII_COMMENT}${text}`)
}

const SRGB = 1
const UNCALIBRATED = 0xffff

function photoTags(fields: ExifFields): TiffTag[] {
  const { xiaomiTag, oppoComment } = fields
  return [
    { tag: 0x9000, bytes: asciiBytes('0232') }, // ExifVersion
    ...(fields.takenAt ? exifOfTime(fields.takenAt) : []),
    { tag: 0x9101, bytes: Uint8Array.of(1, 2, 3, 0) }, // ComponentsConfiguration: Y Cb Cr
    { tag: 0xa000, bytes: asciiBytes('0100') }, // FlashpixVersion
    { tag: 0xa001, short: fields.hasProfile ? UNCALIBRATED : SRGB }, // ColorSpace
    { tag: 0xa002, long: fields.width }, // PixelXDimension
    { tag: 0xa003, long: fields.height }, // PixelYDimension
    ...(xiaomiTag ? [{ tag: XIAOMI_MOTION_PHOTO_TAG, byteValues: [1] }] : []),
    ...(oppoComment ? [{ tag: USER_COMMENT_TAG, bytes: userComment(OPLUS_COMMENT) }] : []),
    ...(fields.makerNote ? [{ tag: MAKER_NOTE_TAG, bytes: fields.makerNote }] : []),
  ]
}

/** The tags of ExifIFD that say when a photo was taken. */
export function exifOfTime(takenAt: WallClock): PlainTag[] {
  const offset = exifOffset(takenAt)
  const subSeconds = takenAt.millisecond?.toString().padStart(3, '0')
  const same = (tags: readonly number[], ascii: string | undefined) =>
    ascii === undefined ? [] : tags.map((tag) => ({ tag, ascii }))
  return [
    ...same([0x9003, 0x9004], exifDateTime(takenAt)), // DateTimeOriginal, DateTimeDigitized
    ...same([0x9010, 0x9011, 0x9012], offset), // OffsetTime, OffsetTimeOriginal, OffsetTimeDigitized
    ...same([0x9290, 0x9291, 0x9292], subSeconds), // SubSecTime, SubSecTimeOriginal, SubSecTimeDigitized
  ]
}

function thumbnailTags(thumbnail: Uint8Array): TiffTag[] {
  return [
    { tag: 0x0103, short: 6 }, // Compression: JPEG
    ...RESOLUTION,
    { tag: 0x0201, blob: thumbnail }, // JPEGInterchangeFormat
    { tag: 0x0202, long: thumbnail.length }, // JPEGInterchangeFormatLength
  ]
}

function refusal(cause: string): FormatError {
  return new FormatError('invalid-part', 'The motion photo could not be written. Try again.', { cause })
}

/** Parts of a second of arc, and of a metre. */
const PRECISION = 1000

/** The tags of the GPS directory of EXIF for a place on WGS 84. @see CIPA DC-008 (Exif 2.32), 4.6.6 */
export function gpsTags({ latitude, longitude, altitude }: Place): TiffTag[] {
  const height: TiffTag[] =
    altitude === undefined
      ? []
      : [
          { tag: 5, byteValues: [altitude < 0 ? 1 : 0] }, // GPSAltitudeRef: below sea level
          { tag: 6, rationals: [[Math.round(Math.abs(altitude) * PRECISION), PRECISION]] },
        ]
  return [
    { tag: 0, byteValues: [2, 3, 0, 0] }, // GPSVersionID
    { tag: 1, ascii: latitude < 0 ? 'S' : 'N' },
    { tag: 2, rationals: degrees(latitude) },
    { tag: 3, ascii: longitude < 0 ? 'W' : 'E' },
    { tag: 4, rationals: degrees(longitude) },
    ...height,
    { tag: 0x12, ascii: 'WGS-84' }, // GPSMapDatum
  ]
}

/** Degrees, minutes and seconds. */
function degrees(angle: number): (readonly [number, number])[] {
  const parts = Math.round(Math.abs(angle) * 3600 * PRECISION)
  const minute = 60 * PRECISION
  return [
    [Math.floor(parts / (60 * minute)), 1],
    [Math.floor(parts / minute) % 60, 1],
    [parts % minute, PRECISION],
  ]
}
