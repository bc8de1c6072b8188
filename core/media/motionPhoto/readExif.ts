import { latin1, viewOf } from '#core/bytes'
import { XIAOMI_MOTION_PHOTO_TAG } from './exif'

export type ExifSummary = {
  /** `YYYY:MM:DD HH:MM:SS` as written. */
  readonly dateTime: string | undefined
  readonly dateTimeOriginal: string | undefined
  readonly offsetTime: string | undefined
  readonly software: string | undefined
  readonly orientation: number | undefined
  readonly width: number | undefined
  readonly height: number | undefined
  /** Xiaomi's tag for a motion photo. */
  readonly has8897: boolean
  /** The JPEG of IFD1: a view, not a copy. */
  readonly thumbnail: Uint8Array | undefined
}

/**
 * Reads what matters of a TIFF structure as EXIF holds it, in either byte order.
 * Entries that are cut or of an unexpected type count as absent.
 * @returns undefined when the bytes are no TIFF structure
 */
export function readExif(tiff: Uint8Array): ExifSummary | undefined {
  if (tiff.length < 8) return undefined
  const order = latin1(tiff, 0, 2)
  const isLittle = order === 'II'
  if ((!isLittle && order !== 'MM') || viewOf(tiff).getUint16(2, isLittle) !== 42) return undefined

  const primary = readDirectory(tiff, viewOf(tiff).getUint32(4, isLittle), isLittle)
  const photo = readDirectory(tiff, primary.number(0x8769), isLittle)
  const small = readDirectory(tiff, primary.next, isLittle)
  const hasMark = (directory: Directory) => directory.number(XIAOMI_MOTION_PHOTO_TAG) === 1
  return {
    dateTime: primary.text(0x0132),
    dateTimeOriginal: photo.text(0x9003),
    offsetTime: photo.text(0x9011) ?? photo.text(0x9010),
    software: primary.text(0x0131),
    orientation: primary.number(0x0112),
    width: photo.number(0xa002),
    height: photo.number(0xa003),
    has8897: hasMark(primary) || hasMark(photo),
    thumbnail: cut(tiff, small.number(0x0201), small.number(0x0202)),
  }
}

type Directory = {
  /** The first number of a BYTE, SHORT or LONG. */
  number(tag: number): number | undefined
  /** An ASCII value up to its first zero byte. */
  text(tag: number): string | undefined
  /** Offset of the next directory; 0 when there is none. */
  readonly next: number
}

function readDirectory(tiff: Uint8Array, start: number | undefined, isLittle: boolean): Directory {
  const view = viewOf(tiff)
  // Offset 0 is the header itself: no directory.
  const isThere = start !== undefined && start >= 8 && start + 2 <= tiff.length
  const count = isThere ? view.getUint16(start, isLittle) : 0
  const entries = new Map<number, number>()
  for (let i = 0; isThere && i < count; i++) {
    const at = start + 2 + i * 12
    if (at + 12 > tiff.length) break
    entries.set(view.getUint16(at, isLittle), at)
  }
  const nextAt = isThere ? start + 2 + count * 12 : tiff.length

  return {
    next: nextAt + 4 <= tiff.length ? view.getUint32(nextAt, isLittle) : 0,
    number(tag) {
      const at = entries.get(tag)
      if (at === undefined) return undefined
      const type = view.getUint16(at + 2, isLittle)
      if (type === 1) return view.getUint8(at + 8)
      if (type === 3) return view.getUint16(at + 8, isLittle)
      return type === 4 ? view.getUint32(at + 8, isLittle) : undefined
    },
    text(tag) {
      const at = entries.get(tag)
      if (at === undefined || view.getUint16(at + 2, isLittle) !== 2) return undefined
      const length = view.getUint32(at + 4, isLittle)
      const value = cut(tiff, length <= 4 ? at + 8 : view.getUint32(at + 8, isLittle), length)
      return value && latin1(value).replace(/\0.*$/s, '').trimEnd()
    },
  }
}

function cut(
  bytes: Uint8Array,
  start: number | undefined,
  length: number | undefined,
): Uint8Array | undefined {
  if (start === undefined || length === undefined || start + length > bytes.length) return undefined
  return bytes.subarray(start, start + length)
}
