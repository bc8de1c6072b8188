import { latin1 } from '@lantern-room/base/bytes'
import { MAKER_NOTE_TAG, USER_COMMENT_TAG, XIAOMI_MOTION_PHOTO_TAG } from './exif'
import { readIdentifier } from './makerNote'
import { openTiff, type TiffDirectory } from './readTiff'
import { ASCII, BYTE, UNDEFINED } from './tiff'

export type ExifSummary = NonNullable<ReturnType<typeof readExif>>

/**
 * Reads what matters of a TIFF structure as EXIF holds it, in either byte order.
 * Entries that are cut or of an unexpected type count as absent.
 * @returns undefined when the bytes are no TIFF structure
 */
export function readExif(tiff: Uint8Array) {
  const structure = openTiff(tiff)
  if (!structure) return undefined
  const primary = structure.directory(structure.first)
  const photo = structure.directory(primary.number(0x8769))
  const gps = structure.directory(primary.number(0x8825))
  const small = structure.directory(primary.next)
  const hasMark = (directory: TiffDirectory) => directory.number(XIAOMI_MOTION_PHOTO_TAG) === 1
  return {
    /** `YYYY:MM:DD HH:MM:SS` as written. */
    dateTime: primary.text(0x0132),
    dateTimeOriginal: photo.text(0x9003),
    dateTimeDigitized: photo.text(0x9004),
    /** `+HH:MM` as written, the first one that is not empty. */
    offsetTime: [0x9011, 0x9012, 0x9010].map((tag) => photo.text(tag)).find((text) => text?.trim()),
    /** When satellites told the place, in UTC: `YYYY:MM:DD` and `HH:MM:SS` as written. */
    gpsDate: gps.text(0x1d),
    gpsTime: clockOf(gps.rationals(0x07)),
    /** The digits after the second of `dateTimeOriginal`. */
    subSecOriginal: photo.text(0x9291),
    software: primary.text(0x0131),
    /** The maker of the phone. */
    maker: primary.text(0x010f),
    model: primary.text(0x0110),
    orientation: primary.number(0x0112),
    width: photo.number(0xa002),
    height: photo.number(0xa003),
    /** The directory in which Xiaomi's tag for a motion photo is. Its galleries read the one in ExifIFD. */
    xiaomiMark: hasMark(photo) ? ('ExifIFD' as const) : hasMark(primary) ? ('IFD0' as const) : undefined,
    /** UserComment, without the character code before it. */
    userComment: readComment(photo),
    /** What the photo and the video of a Live Photo have in common, from Apple's MakerNote. */
    contentIdentifier: readIdentifier(photo.undefinedBytes(MAKER_NOTE_TAG)),
    /** The JPEG of IFD1: a view, not a copy. */
    thumbnail: structure.slice(small.number(0x0201), small.number(0x0202)),
  }
}

/** Hours, minutes and seconds as text. */
function clockOf(values: readonly number[]): string | undefined {
  const [hour, minute, second] = values
  if (hour === undefined || minute === undefined || second === undefined) return undefined
  return [hour, minute, second].map((value) => String(Math.floor(value)).padStart(2, '0')).join(':')
}

/** The MakerNote of a TIFF structure as EXIF holds it. */
export function readMakerNote(tiff: Uint8Array): Uint8Array | undefined {
  const structure = openTiff(tiff)
  const photo = structure?.directory(structure.directory(structure.first).number(0x8769))
  return photo?.undefinedBytes(MAKER_NOTE_TAG)
}

const COMMENT_CODES = ['ASCII', 'JIS', 'UNICODE', ''].map((code) => code.padEnd(8, '\0'))

/**
 * A text that begins with eight bytes for its character code; that of some writers has none, or another type. Letters of UTF-16 are told
 * only as far as Latin-1 has them: what matters is whether there are any.
 */
function readComment(photo: TiffDirectory): string | undefined {
  const [bytes] = [UNDEFINED, ASCII, BYTE].flatMap((type) => photo.value(USER_COMMENT_TAG, type) ?? [])
  if (!bytes) return undefined
  const code = latin1(bytes, 0, 8)
  const text = latin1(bytes, COMMENT_CODES.includes(code) ? 8 : 0)
  return (code.startsWith('UNICODE') ? text.replaceAll('\0', '') : text.replace(/\0.*$/s, '')).trimEnd()
}
