import { latin1, viewOf } from '#core/bytes'
import { ASCII, BYTE, LONG, SHORT, UNDEFINED } from './tiff'

/** Bytes of one unit, by type. */
const UNIT_SIZES = { [BYTE]: 1, [ASCII]: 1, [SHORT]: 2, [LONG]: 4, [UNDEFINED]: 1 } as const

/**
 * Opens a TIFF structure, as EXIF and MPF hold it. Entries that are cut or of an unexpected type count as absent.
 * @returns undefined when the bytes are no TIFF structure of either byte order
 * @see TIFF 6.0, section 2
 */
export function openTiff(tiff: Uint8Array) {
  if (tiff.length < 8) return undefined
  const order = latin1(tiff, 0, 2)
  const isLittle = order === 'II'
  if ((!isLittle && order !== 'MM') || viewOf(tiff).getUint16(2, isLittle) !== 42) return undefined
  return {
    isLittle,
    /** Offset of the first directory. */
    first: viewOf(tiff).getUint32(4, isLittle),
    /** An offset at which no directory can be gives an empty one. */
    directory: (start: number | undefined) => readDirectory(tiff, start, isLittle),
    /** A view of bytes that lie in the structure; undefined when they do not. */
    slice: (start: number | undefined, length: number | undefined) => cut(tiff, start, length),
  }
}

export type TiffDirectory = ReturnType<typeof readDirectory>

function readDirectory(tiff: Uint8Array, start: number | undefined, isLittle: boolean) {
  const view = viewOf(tiff)
  const { entries, nextAt } = readEntries(view, start, isLittle)
  return {
    /** Offsets of the entries' twelve bytes, by tag. */
    entries,
    /** Offset of the next directory; 0 when there is none. */
    next: nextAt + 4 <= tiff.length ? view.getUint32(nextAt, isLittle) : 0,
    /** The first number of a BYTE, SHORT or LONG. */
    number(tag: number): number | undefined {
      const byte = value(tag, BYTE)?.[0]
      if (byte !== undefined) return byte
      const short = value(tag, SHORT)
      if (short?.length) return viewOf(short).getUint16(0, isLittle)
      const long = value(tag, LONG)
      return long?.length ? viewOf(long).getUint32(0, isLittle) : undefined
    },
    /** An ASCII value up to its first zero byte. */
    text(tag: number): string | undefined {
      const bytes = value(tag, ASCII)
      return bytes && latin1(bytes).replace(/\0.*$/s, '').trimEnd()
    },
    /** A value of type UNDEFINED: a view. */
    undefinedBytes: (tag: number) => value(tag, UNDEFINED),
  }

  /** The bytes of a value of this type: in the entry itself, or where that points when they are more than four. */
  function value(tag: number, type: keyof typeof UNIT_SIZES): Uint8Array | undefined {
    const at = entries.get(tag)
    if (at === undefined || view.getUint16(at + 2, isLittle) !== type) return undefined
    const length = view.getUint32(at + 4, isLittle) * UNIT_SIZES[type]
    return cut(tiff, length <= 4 ? at + 8 : view.getUint32(at + 8, isLittle), length)
  }
}

function readEntries(tiff: DataView, start: number | undefined, isLittle: boolean) {
  const entries = new Map<number, number>()
  // Offset 0 is the header itself: no directory.
  if (start === undefined || start < 8 || start + 2 > tiff.byteLength)
    return { entries, nextAt: tiff.byteLength }
  const nextAt = start + 2 + tiff.getUint16(start, isLittle) * 12
  for (let at = start + 2; at < nextAt && at + 12 <= tiff.byteLength; at += 12)
    entries.set(tiff.getUint16(at, isLittle), at)
  return { entries, nextAt }
}

function cut(
  bytes: Uint8Array,
  start: number | undefined,
  length: number | undefined,
): Uint8Array | undefined {
  if (start === undefined || length === undefined || start + length > bytes.length) return undefined
  return bytes.subarray(start, start + length)
}
